// SPDX-License-Identifier: MIT
// Tabs that are worked with the arrow keys, as screen readers expect.

export class Tabs {
  private readonly tabs: HTMLElement[];
  private readonly onShow: (panel: string) => void;

  constructor(list: HTMLElement, onShow: (panel: string) => void) {
    this.tabs = [...list.querySelectorAll<HTMLElement>('[role=tab]')];
    this.onShow = onShow;
    this.tabs.forEach((tab) => tab.addEventListener('click', () => this.show(panelOf(tab))));
    list.addEventListener('keydown', (event) => this.onKey(event));
  }

  get shown(): string {
    return panelOf(this.tabs.find((tab) => tab.getAttribute('aria-selected') === 'true')!);
  }

  show(panel: string): void {
    for (const tab of this.tabs) {
      const chosen = panelOf(tab) === panel;
      tab.setAttribute('aria-selected', String(chosen));
      tab.tabIndex = chosen ? 0 : -1;
      document.getElementById(panelOf(tab))!.hidden = !chosen;
    }
    this.onShow(panel);
  }

  private onKey(event: KeyboardEvent): void {
    const at = this.tabs.findIndex((tab) => tab === document.activeElement);
    const way = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (way && at >= 0) {
      event.preventDefault();
      const next = this.tabs[(at + way + this.tabs.length) % this.tabs.length];
      this.show(panelOf(next));
      next.focus();
    }
  }
}

function panelOf(tab: HTMLElement): string {
  return tab.getAttribute('aria-controls')!;
}
