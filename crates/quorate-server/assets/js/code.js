// The code of a clause is fetched when somebody wants to see it, and unfolds where its link stood.
async function unfold(link) {
  const id = link.closest(".clause").id;
  const page = new DOMParser().parseFromString(await (await fetch(link.href)).text(), "text/html");
  const code = page.getElementById(id)?.querySelector("details.beside");
  if (!code) { location.assign(link.href); return; }
  code.open = true;
  link.parentElement.replaceWith(code);
  code.querySelector("summary").focus();
}

export function code() {
  document.addEventListener("click", (e) => {
    const link = e.target.closest("a[data-code]");
    if (!link || e.metaKey || e.ctrlKey || e.shiftKey || e.button) return;
    e.preventDefault();
    unfold(link).catch(() => location.assign(link.href));
  });
}
