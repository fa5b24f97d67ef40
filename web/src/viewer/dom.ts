// SPDX-License-Identifier: MIT
// Elements of the page, by their id, and new ones.

export function byId<T extends HTMLElement = HTMLElement>(id: string): T {
  return document.getElementById(id) as T;
}

export function element<T extends keyof HTMLElementTagNameMap>(name: T, className = ''): HTMLElementTagNameMap[T] {
  const made = document.createElement(name);
  made.className = className;
  return made;
}

export function textElement<T extends keyof HTMLElementTagNameMap>(name: T, content: string): HTMLElementTagNameMap[T] {
  const made = element(name);
  made.textContent = content;
  return made;
}
