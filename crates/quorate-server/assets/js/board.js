// A square of a board and its radio in the list beside it are one choice. Ranges tell their value.
function show(form, drawing) {
  const chosen = form.querySelector("input[type=radio]:checked");
  drawing.querySelectorAll("[data-square] .b-move").forEach((el) =>
    el.classList.toggle("at", el.closest("[data-square]").dataset.square === chosen?.value));
  const button = form.querySelector("[data-says]");
  if (button && chosen) button.textContent = button.dataset.says.replace("{}", chosen.dataset.title || chosen.value);
}

export function board() {
  document.querySelectorAll("svg[data-form]").forEach((drawing) => {
    const form = document.getElementById(drawing.dataset.form);
    if (!form || drawing.dataset.ready) return;
    drawing.dataset.ready = "1";
    drawing.addEventListener("click", (e) => {
      const radio = [...form.querySelectorAll("input[type=radio]")].find((r) => r.value === e.target.closest("[data-square]")?.dataset.square);
      if (radio) { e.preventDefault(); radio.checked = true; radio.focus({ preventScroll: true }); show(form, drawing); }
    });
    form.addEventListener("change", () => show(form, drawing));
    show(form, drawing);
  });
  document.querySelectorAll("input[type=range][data-shows]").forEach((range) => {
    const out = document.getElementById(range.dataset.shows);
    range.oninput = () => { if (out) out.textContent = range.value; };
  });
}
