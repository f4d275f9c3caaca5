// Sets the colours that were chosen before, ahead of the first paint.
(() => {
  "use strict";
  try {
    const theme = localStorage.getItem("pagekin-theme");
    if (theme === "light" || theme === "dark") document.documentElement.dataset.theme = theme;
  } catch { /* a browser that keeps nothing follows the system */ }
})();
