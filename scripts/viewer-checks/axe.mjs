// SPDX-License-Identifier: MIT
// axe-core goes over every panel: by day and by night, on a desk and on a phone. Nothing serious is left.

import { readFile } from 'node:fs/promises';
import { webFile } from '../web-tools.mjs';
import { ask, expect, frames, openItem, setPlaying, write } from './page.mjs';

const SIZES = [{ width: 1400, height: 850 }, { width: 390, height: 780 }];
/** Only what a page looks like differs from one size and theme to the next. */
const LOOKS = ['color-contrast', 'target-size', 'scrollable-region-focusable'];

// in the page: what is serious in all of it or in a panel, rule by rule, with the first place of each
async function look({ panel, rules }) {
  const { violations } = await window.axe.run(panel ? `#${panel}` : document, { resultTypes: ['violations'], ...(rules && { runOnly: rules }) });
  return violations.filter(({ impact }) => ['serious', 'critical'].includes(impact))
    .map(({ id, nodes }) => `${id}: ${nodes.map(({ target }) => target.join(' ')).slice(0, 3)}`);
}

export async function checkAccess(page) {
  const before = page.viewportSize();
  await openItem(page, 'fern');
  await setPlaying(page, false);
  await page.evaluate(await readFile(webFile('axe-core/axe.min.js'), 'utf8'));
  const tabs = await page.locator('[role=tab]').evaluateAll((all) => all.map(({ id }) => id));
  await page.locator('#tab-show').click();
  for (const overlay of ['moment', 'skeleton']) {
    await page.locator(`#overlays input[value=${overlay}]`).check();
  }
  await page.locator('#tab-write').click();
  await write(page, `A --> (\n${await ask(page, (viewer) => viewer.written)}`);
  await page.locator('#find').click();
  await page.locator('#faults button').first().waitFor();
  for (const size of SIZES) {
    await page.setViewportSize(size);
    for (const colorScheme of ['light', 'dark']) {
      await page.emulateMedia({ colorScheme });
      for (const tab of tabs) {
        await page.locator(`#${tab}`).click();
        await frames(page, 2);
        // what is around the panels is the same for all of them
        const panel = tab === tabs[0] ? null : await page.locator(`#${tab}`).getAttribute('aria-controls');
        const rules = size === SIZES[0] && colorScheme === 'light' ? null : LOOKS;
        const found = await page.evaluate(look, { panel, rules });
        expect(found.length === 0, `${tab}, ${size.width} pixels, ${colorScheme}: ${found.join('; ') || 'nothing serious'}`);
      }
    }
  }
  await page.emulateMedia({ colorScheme: null });
  await page.setViewportSize(before);
  await page.locator('#undo').click();
  await page.locator('#tab-show').click();
  for (const overlay of ['moment', 'skeleton']) {
    await page.locator(`#overlays input[value=${overlay}]`).uncheck();
  }
}
