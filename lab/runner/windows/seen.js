// Writes the arguments of a server to the file that SEEN names, before the server starts.
require("node:fs").writeFileSync(process.env.SEEN, JSON.stringify(process.argv.slice(2)));
