// What makes the pages more convenient. They work without this script.
"use strict";

// A form sends each of its inputs. The empty ones are left out here; without this script, the
// server leaves them out by a redirect.
for (const form of document.querySelectorAll("form[data-filter]")) {
  form.addEventListener("submit", () => {
    for (const input of form.elements) {
      if (input.name && input.value === "" && input.type !== "checkbox") input.disabled = true;
    }
  });
  // A browser shows the page again with the inputs as they were left.
  addEventListener("pageshow", () => {
    for (const input of form.elements) input.disabled = false;
  });
}

for (const button of document.querySelectorAll("button[data-copy]")) {
  if (!navigator.clipboard) continue;
  const label = button.textContent;
  button.hidden = false;
  button.addEventListener("click", async () => {
    await navigator.clipboard.writeText(document.getElementById(button.dataset.copy).textContent);
    button.textContent = "Copied";
    setTimeout(() => { button.textContent = label; }, 2000);
  });
}

// With `serve --watch`, the page is loaded again when the schema file has changed, unless the reader
// has begun to fill in a form.
const watched = document.querySelector("[data-watch]");
if (watched) {
  let isEdited = false;
  addEventListener("input", () => { isEdited = true; });
  const look = async () => {
    const response = await fetch(watched.dataset.watch).catch(() => undefined);
    const state = response?.ok ? await response.text() : watched.dataset.state;
    if (state === watched.dataset.state) {
      setTimeout(look, 1000);
    } else if (isEdited) {
      const notice = document.createElement("p");
      notice.className = "diagnostic";
      notice.setAttribute("role", "status");
      notice.textContent = "The schema file has changed. Load the page again to see it.";
      watched.replaceChildren(notice);
    } else {
      location.reload();
    }
  };
  setTimeout(look, 1000);
}
