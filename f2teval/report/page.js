(() => {
  "use strict";
  const rows = document.getElementById("rows");
  if (!rows) return;
  const all = [...rows.children];
  const find = (id) => document.getElementById(id);
  const q = find("q"), system = find("system"), type = find("type"), sort = find("sort");
  const count = find("count"), empty = find("empty"), open = find("open");
  const buttons = [...document.querySelectorAll(".columns [data-sort]")];
  const words = new Map(all.map((li) => [li, li.querySelector("details").textContent.toLowerCase()]));

  const matchesType = (li, want) => {
    if (!want) return true;
    const types = li.dataset.types ? li.dataset.types.split(" ") : [];
    if (want === "*") return types.length > 0;
    if (want === "-") return types.length === 0 && li.dataset.status === "ok";
    if (want === "!") return li.dataset.status !== "ok";
    return types.includes(want);
  };

  const apply = () => {
    const terms = q.value.toLowerCase().split(/\s+/).filter(Boolean);
    let shown = 0;
    for (const li of all) {
      const hit =
        (system.value === "*" || li.dataset.system === system.value) &&
        matchesType(li, type.value) &&
        terms.every((t) => words.get(li).includes(t));
      li.hidden = !hit;
      shown += hit;
    }
    const texts = all.length === 1 ? "text" : "texts";
    count.textContent = shown === all.length ? `${shown} ${texts}` : `${shown} of ${all.length} ${texts}`;
    empty.hidden = shown > 0;
  };

  const order = () => {
    const descending = sort.value.startsWith("-");
    const by = sort.value.replace("-", "");
    const number = (li) => (li.dataset[by] === "" ? NaN : Number(li.dataset[by]));
    const sign = descending ? -1 : 1;
    const sorted = [...all].sort((a, b) => {
      const x = number(a), y = number(b);
      if (Number.isNaN(x) || Number.isNaN(y)) return Number.isNaN(x) - Number.isNaN(y) || a.dataset.n - b.dataset.n;
      return sign * (x - y) || a.dataset.n - b.dataset.n;
    });
    rows.append(...sorted);
    for (const b of buttons) {
      const on = b.dataset.sort === by;
      b.setAttribute("aria-pressed", String(on));
      b.classList.toggle("down", on && descending);
    }
  };

  q.addEventListener("input", apply);
  system.addEventListener("change", apply);
  type.addEventListener("change", apply);
  sort.addEventListener("change", order);
  for (const b of buttons) {
    b.addEventListener("click", () => {
      sort.value = sort.value === b.dataset.sort ? "-" + b.dataset.sort : b.dataset.sort;
      order();
    });
  }
  const detailsOf = (li) => li.querySelector("details");
  open.addEventListener("click", () => {
    const visible = all.filter((li) => !li.hidden);
    const want = visible.some((li) => !detailsOf(li).open);
    for (const li of visible) detailsOf(li).open = want;
    open.textContent = want ? "Close all" : "Open all";
  });

  // Words, boxes and lines of the list that share a key light up together.
  const light = (from, on) => {
    const target = from.closest && from.closest("[data-k]");
    const li = from.closest && from.closest("li.row");
    if (!li) return;
    for (const e of li.querySelectorAll(".on")) e.classList.remove("on");
    li.classList.toggle("lit", Boolean(target && on));
    if (!target || !on) return;
    const keys = target.dataset.k.split(" ");
    for (const e of li.querySelectorAll("[data-k]")) {
      if (e.dataset.k.split(" ").some((k) => keys.includes(k))) e.classList.add("on");
    }
  };
  rows.addEventListener("pointerover", (e) => light(e.target, true));
  rows.addEventListener("pointerout", (e) => light(e.target, false));
  rows.addEventListener("focusin", (e) => light(e.target, true));
  rows.addEventListener("focusout", (e) => light(e.target, false));
  rows.addEventListener("click", (e) => light(e.target, true));
  order();
})();
