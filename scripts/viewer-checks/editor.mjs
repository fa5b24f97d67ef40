// SPDX-License-Identifier: MIT
// The field of texts: colours, numbers, faults where they are, search, wrap, saving.

import { readFile } from 'node:fs/promises';
import { ask, drawOnce, expect, frames, openItem, setPlaying, waitFor, write } from './page.mjs';

export async function checkEditor(page) {
  await openItem(page, 'monopodial');
  await page.locator('#tab-write').click();
  const good = await ask(page, (viewer) => viewer.written);
  const segments = await ask(page, (viewer) => viewer.segments);
  await checkLook(page);
  await checkFault(page, good);
  await write(page, good.replace('#define AGE 44', '#define AGE 30'));
  await waitFor(page, (before) => window.tendrilViewer.ready && window.tendrilViewer.segments !== before, segments);
  expect((await ask(page, (viewer) => viewer.faults)).length === 0, 'mended, it grows again');
  await checkRunaway(page);
  await write(page, good);
  await waitFor(page, (before) => window.tendrilViewer.ready && window.tendrilViewer.segments === before
    && window.tendrilViewer.fault === '', segments);
  await page.locator('#tab-plants').click();
}

async function checkLook(page) {
  const colors = await page.locator('#editor [class*=tok-]').evaluateAll((words) =>
    new Set(words.map((word) => getComputedStyle(word).color)).size);
  expect(colors >= 4, `words have colours by what they are (${colors})`);
  const numbers = await page.locator('#editor .cm-lineNumbers .cm-gutterElement:visible').allInnerTexts();
  expect(numbers.includes('1') && numbers.includes('2'), 'lines have numbers');
  await page.locator('#find').click();
  await page.keyboard.insertText('derivation');
  await page.keyboard.press('Enter');
  const found = await page.evaluate(() => document.querySelector('#editor .cm-searchMatch')?.textContent);
  expect(found === 'derivation', `a word is found (${found})`);
  await page.keyboard.press('Escape');
  expect(await page.locator('#editor .cm-search').count() === 0, 'the Escape key ends the search');
  const width = () => page.locator('#editor .cm-scroller').evaluate((one) => one.scrollWidth - one.clientWidth);
  await page.locator('#wrap').click();
  await frames(page, 2);
  expect(await width() <= 0, 'long lines are broken when one wants that');
  await page.locator('#wrap').click();
  const [download] = await Promise.all([page.waitForEvent('download'), page.locator('#save-text').click()]);
  const saved = await readFile(await download.path(), 'utf8');
  expect(download.suggestedFilename() === 'monopodial.lsys' && saved === await ask(page, (viewer) => viewer.written),
    'a text is saved under its name');
}

async function checkFault(page, good) {
  const lines = good.split('\n');
  const at = lines.findIndex((line) => /^\s*derivation length/.test(line));
  await write(page, [...lines.slice(0, at + 1), 'A --> F(', ...lines.slice(at + 1)].join('\n'));
  await waitFor(page, () => window.tendrilViewer.faults.length > 0);
  const [fault] = await ask(page, (viewer) => viewer.faults);
  expect(Math.abs(fault.line - (at + 2)) <= 1, `the error is shown at its line (${fault.line}: ${fault.text})`);
  await page.locator('#faults button').first().click();
  const sign = page.locator('#editor .sign').first();
  await sign.waitFor();
  // the text has been scrolled there
  await waitFor(page, () => {
    const middle = (name) => document.querySelector(`#editor ${name}`)?.getBoundingClientRect();
    const [mark, line] = [middle('.sign'), middle('.cm-activeLine')];
    return mark && line && mark.top > line.top - 4 && mark.bottom < line.bottom + 4;
  });
  expect((await sign.getAttribute('title')).includes(fault.text), 'and says what is wrong');
  const column = await page.evaluate(() => {
    const { focusNode, focusOffset } = getSelection();
    const range = document.createRange();
    range.setStart((focusNode.nodeType === 3 ? focusNode.parentElement : focusNode).closest('.cm-line'), 0);
    range.setEnd(focusNode, focusOffset);
    return range.toString().length + 1;
  });
  expect(column === fault.column, `a press on the message leads to its column (${column} of ${fault.column})`);
}

async function checkRunaway(page) {
  await write(page, '#define STEPS 60\nderivation length: STEPS\nAxiom: A\nA --> F(1) A A A\n');
  await page.waitForTimeout(300);
  await page.locator('#regrow').click();
  await waitFor(page, () => window.tendrilViewer.fault !== '');
  const said = await ask(page, (viewer) => viewer.fault);
  expect(/limit|module|memory|stopped|segments/i.test(said), `a rule that runs away is stopped (${said})`);
  await setPlaying(page, true);
  await drawOnce(page);
}
