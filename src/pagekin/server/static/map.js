// The map with a hand: pages can be dragged, and the one under the pointer or the focus shows what it is joined to.
"use strict";

const drawing = document.querySelector("[data-map]");

class Drawing {
  static leastMove = 4; // what moves less was meant as a click

  constructor(svg) {
    this.svg = svg;
    this.nodes = new Map([...svg.querySelectorAll("[data-node]")].map((node) => [node.dataset.node, node]));
    this.lines = [...svg.querySelectorAll("line[data-ends]")].map((line) => ({ line, ends: line.dataset.ends.split(" ") }));
    for (const [number, node] of this.nodes) this.listen(number, node);
    for (const item of document.querySelectorAll("[data-listed]")) {
      item.addEventListener("pointerenter", () => this.light(item.dataset.listed));
      item.addEventListener("pointerleave", () => this.light(null));
    }
  }

  listen(number, node) {
    node.addEventListener("pointerenter", () => this.light(number));
    node.addEventListener("pointerleave", () => this.light(null));
    node.addEventListener("focus", () => this.light(number));
    node.addEventListener("blur", () => this.light(null));
    node.addEventListener("dragstart", (event) => event.preventDefault());
    node.addEventListener("pointerdown", (event) => this.take(event, number, node));
    node.addEventListener("click", (event) => {
      if (this.moved) event.preventDefault();
      this.moved = false;
    });
  }

  light(number) {
    this.svg.classList.toggle("lit", number !== null);
    const near = new Set([number]);
    for (const { line, ends } of this.lines) {
      const isNear = ends.includes(number);
      line.classList.toggle("near", isNear);
      if (isNear) ends.forEach((end) => near.add(end));
    }
    for (const [other, node] of this.nodes) node.classList.toggle("near", near.has(other));
  }

  point(event) {
    return new DOMPoint(event.clientX, event.clientY).matrixTransform(this.svg.getScreenCTM().inverse());
  }

  take(event, number, node) {
    if (event.button !== 0 || event.pointerType === "touch") return; // a finger scrolls
    const start = [event.clientX, event.clientY];
    this.moved = false;
    const move = (later) => {
      const [x, y] = [later.clientX - start[0], later.clientY - start[1]];
      this.moved ||= Math.hypot(x, y) > Drawing.leastMove;
      if (this.moved) this.put(number, node, this.point(later));
    };
    const drop = () => {
      removeEventListener("pointermove", move);
      removeEventListener("pointerup", drop);
    };
    addEventListener("pointermove", move);
    addEventListener("pointerup", drop);
  }

  put(number, node, { x, y }) {
    node.setAttribute("transform", `translate(${x.toFixed(1)} ${y.toFixed(1)})`);
    for (const { line, ends } of this.lines) {
      ends.forEach((end, place) => {
        if (end !== number) return;
        line.setAttribute(`x${place + 1}`, x.toFixed(1));
        line.setAttribute(`y${place + 1}`, y.toFixed(1));
      });
    }
  }
}

if (drawing) {
  new Drawing(drawing);
  document.querySelectorAll("[data-scripted]").forEach((element) => { element.hidden = false; });
}
