// Puts a box with related pages into a page of another site:
//   <script src="https://kin.example.org/embed.js" async></script>
(() => {
  "use strict";
  const script = document.currentScript;
  const { k = "5", title = "Related pages", url, into } = script.dataset;

  function ownAddress() {
    return url || document.querySelector("link[rel=canonical]")?.href || location.href;
  }

  function isWebAddress(address) {
    return /^https?:\/\//i.test(address);
  }

  function item(page) {
    const link = document.createElement("a");
    link.href = page.url;
    link.textContent = page.title || page.url; // never as HTML: titles come from a crawl
    const item = document.createElement("li");
    item.append(link);
    return item;
  }

  function box(pages) {
    const heading = document.createElement("h2");
    heading.textContent = title;
    const list = document.createElement("ul");
    list.append(...pages.map(item));
    const box = document.createElement("aside");
    box.className = "pagekin-related";
    box.setAttribute("aria-label", title);
    box.append(heading, list);
    return box;
  }

  function put(element) {
    const place = into && document.querySelector(into);
    if (place) place.append(element);
    else if (script.closest("body")) script.after(element);
    else document.body.append(element);
  }

  async function show() {
    const address = new URL("embed.json", script.src);
    address.search = new URLSearchParams({ url: ownAddress(), k });
    try {
      const response = await fetch(address, { credentials: "omit", referrerPolicy: "no-referrer" });
      const pages = (await response.json()).related.filter((page) => isWebAddress(page.url));
      if (pages.length) put(box(pages));
    } catch { /* the page is whole without the box */ }
  }

  if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", show);
  else show();
})();
