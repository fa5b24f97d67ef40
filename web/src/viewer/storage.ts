// SPDX-License-Identifier: MIT
// The page's own memory: what is kept when the page is closed or loaded again. A browser may refuse
// it, or have no room left; then the page goes on without.

const PREFIX = 'tendril.viewer.';

/** Under this key: what this tab shows. */
export const NOW = 'now';

/** For as long as the browser keeps it; or until the tab is closed. */
type Span = 'always' | 'tab';

function storeOf(span: Span): Storage {
  return span === 'always' ? localStorage : sessionStorage;
}

/** False when it could not be kept. */
export function keep(key: string, value: unknown, span: Span = 'always'): boolean {
  try {
    storeOf(span).setItem(PREFIX + key, JSON.stringify(value));
    return true;
  } catch {
    return false;
  }
}

/** null when there is nothing, or nothing that can be read. */
export function recall<T>(key: string, span: Span = 'always'): T | null {
  try {
    return JSON.parse(storeOf(span).getItem(PREFIX + key) ?? 'null') as T | null;
  } catch {
    return null;
  }
}

export function forget(key: string): void {
  try {
    localStorage.removeItem(PREFIX + key);
  } catch {
    // nothing is kept, so nothing has to be forgotten
  }
}

/** Another tab has changed what is kept under this key. */
export function onKeptElsewhere(key: string, then: () => void): void {
  window.addEventListener('storage', (event) => {
    if (event.key === PREFIX + key || event.key === null) {
      then();
    }
  });
}
