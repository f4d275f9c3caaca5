// What the pages do better with scripts: change colours, suggest while one types, unfold what the server tells.
"use strict";

const root = document.documentElement;

// --- light and dark

const themeSwitch = document.querySelector("[data-theme-switch]");
const systemIsDark = matchMedia("(prefers-color-scheme: dark)");

function isDark() {
  return root.dataset.theme ? root.dataset.theme === "dark" : systemIsDark.matches;
}

function nameSwitch() {
  themeSwitch.querySelector("[data-theme-words]").textContent = isDark() ? "Light colours" : "Dark colours";
}

function changeColours() {
  root.dataset.theme = isDark() ? "light" : "dark";
  try {
    localStorage.setItem("pagekin-theme", root.dataset.theme);
  } catch { /* then it lasts for this page only */ }
  nameSwitch();
}

themeSwitch.hidden = false;
themeSwitch.addEventListener("click", changeColours);
systemIsDark.addEventListener("change", nameSwitch);
nameSwitch();

// --- fragments that are fetched when they are unfolded

async function fill(details) {
  const source = details.dataset.fragment;
  if (!details.open || !source || details.dataset.filled) return;
  details.dataset.filled = "yes";
  const place = details.querySelector(":scope > :not(summary)");
  const link = place.cloneNode(true);
  place.textContent = "Looking…";
  details.setAttribute("aria-busy", "true");
  try {
    const response = await fetch(source);
    if (!response.ok) throw new Error(response.statusText);
    const holder = document.createElement("template");
    holder.innerHTML = await response.text(); // our own page, in which all text is escaped
    place.replaceWith(holder.content);
  } catch {
    place.replaceWith(link); // the page of its own says what is wrong
    delete details.dataset.filled;
  }
  details.removeAttribute("aria-busy");
}

for (const details of document.querySelectorAll("details[data-fragment]")) {
  details.addEventListener("toggle", () => fill(details));
}

// --- suggestions: a combobox with a list box, as the ARIA practices describe it

class Suggestions {
  static pauseMilliseconds = 120;

  constructor(form) {
    this.form = form;
    this.input = form.querySelector("input[name=q]");
    this.list = document.createElement("ul");
    this.chosen = -1;
    this.list.id = `${this.input.id}-suggestions`;
    this.list.className = "suggestions";
    this.list.setAttribute("role", "listbox");
    this.list.setAttribute("aria-label", "Suggested pages");
    this.list.hidden = true;
    form.append(this.list);
    this.input.setAttribute("role", "combobox");
    this.input.setAttribute("aria-autocomplete", "list");
    this.input.setAttribute("aria-controls", this.list.id);
    this.input.setAttribute("aria-expanded", "false");
    this.input.addEventListener("input", () => this.ask());
    this.input.addEventListener("keydown", (event) => this.key(event));
    this.input.addEventListener("blur", () => this.close());
  }

  ask() {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.fetch(this.input.value.trim()), Suggestions.pauseMilliseconds);
  }

  async fetch(words) {
    this.request?.abort();
    if (words.length < 2) return this.close();
    this.request = new AbortController();
    try {
      const address = `${this.form.dataset.suggest}?q=${encodeURIComponent(words)}`;
      const response = await fetch(address, { signal: this.request.signal });
      const found = response.ok ? (await response.json()).suggestions : [];
      if (document.activeElement === this.input) this.show(found);
    } catch { /* another letter came, or the service is gone: there is nothing to suggest */ }
  }

  show(found) {
    this.list.replaceChildren(...found.map((page, number) => this.option(page, number)));
    this.choose(-1);
    this.list.hidden = found.length === 0;
    this.input.setAttribute("aria-expanded", String(found.length > 0));
  }

  option(page, number) {
    const option = document.createElement("li");
    option.id = `${this.list.id}-${number}`;
    option.setAttribute("role", "option");
    option.dataset.url = page.url;
    for (const [kind, text] of [["title", page.title || page.url], ["address", page.url]]) {
      const line = document.createElement("span");
      line.className = kind;
      line.textContent = text;
      option.append(line);
    }
    option.addEventListener("mousedown", (event) => event.preventDefault()); // the box keeps the focus
    option.addEventListener("click", () => this.go(option));
    return option;
  }

  choose(number) {
    this.chosen = number;
    [...this.list.children].forEach((option, place) => option.setAttribute("aria-selected", String(place === number)));
    if (number < 0) this.input.removeAttribute("aria-activedescendant");
    else this.input.setAttribute("aria-activedescendant", this.list.children[number].id);
    this.list.children[number]?.scrollIntoView({ block: "nearest" });
  }

  key(event) {
    const many = this.list.hidden ? 0 : this.list.children.length;
    if (event.key === "Escape" && many) {
      this.close();
    } else if (event.key === "Enter" && many && this.chosen >= 0) {
      this.go(this.list.children[this.chosen]);
    } else if (event.key === "ArrowDown" && many) {
      this.choose(this.chosen + 1 < many ? this.chosen + 1 : -1);
    } else if (event.key === "ArrowUp" && many) {
      this.choose(this.chosen < 0 ? many - 1 : this.chosen - 1);
    } else {
      return;
    }
    event.preventDefault();
  }

  go(option) {
    location.href = `${this.form.dataset.related}?url=${encodeURIComponent(option.dataset.url)}`;
  }

  close() {
    clearTimeout(this.timer);
    this.request?.abort();
    this.show([]);
  }
}

for (const form of document.querySelectorAll("form[data-suggest]")) new Suggestions(form);

// --- the bookmarklet is to be dragged

document.querySelector("[data-bookmarklet]")?.addEventListener("click", (event) => {
  event.preventDefault();
  document.querySelector("[data-bookmarklet-hint]").hidden = false;
});
