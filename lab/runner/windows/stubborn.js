// A server that never answers and does not notice the end of its input. Creates the file that SEEN names.
require("node:fs").writeFileSync(process.env.SEEN, "");
setInterval(() => {}, 1000);
