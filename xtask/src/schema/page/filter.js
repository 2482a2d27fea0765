// Shows only the definitions whose names contain the text of the filter.
const field = document.getElementById("filter");
field.hidden = false;
field.addEventListener("input", () => {
  const text = field.value.trim().toLowerCase();
  for (const part of document.querySelectorAll("[data-name]")) {
    part.hidden = !part.dataset.name.toLowerCase().includes(text);
  }
});
