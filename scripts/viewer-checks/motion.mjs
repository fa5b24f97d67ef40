// SPDX-License-Identifier: MIT
// How plants move in the page, and how they answer the hand, the arrow keys and the forces.

import { fingers } from '../page-checks.mjs';
import {
  ask, distance, expect, frames, openItem, pointerArrived, reset, run, screenOf, setPlaying, tipOf, waitFor,
} from './page.mjs';

export async function checkClock(page) {
  await setPlaying(page, false);
  const stopped = await ask(page, (viewer) => viewer.time);
  await frames(page, 6);
  expect(await ask(page, (viewer) => viewer.time) === stopped, 'stopped, time stands still');
  const dt = await ask(page, (viewer) => viewer.dt);
  await page.locator('#single').click();
  await waitFor(page, (time) => window.tendrilViewer.time > time, stopped);
  const step = await ask(page, (viewer) => viewer.time) - stopped;
  expect(Math.abs(step - dt) < 1e-9, `a single step is one step (${step})`);
  await reset(page);
  await page.locator('#speed').selectOption('0.1');
  expect(await ask(page, (viewer) => viewer.speed) === 0.1, 'slow motion can be chosen');
  await page.locator('#speed').selectOption('1');
  await page.locator('#view').focus();
  await page.keyboard.press(' ');
  await waitFor(page, () => window.tendrilViewer.playing && window.tendrilViewer.time > 0.05);
}

/** Scenes of which a second takes a minute are run for a shorter time, in s. */
const SHORTER = {
  'heap-of-sticks': 0.1, 'crowd-pushed-away': 0.032, 'pendulums-of-300-links': 0.05, 'moving-jungle': 0.2,
  'fallen-branch-on-a-hedge': 0.2,
};
/** Those that take longest come first, so that two pages end at the same time. */
const LONG = ['crowd-pushed-away', 'moving-jungle', 'curls-of-hair', 'hand-through-wheat', 'heap-of-sticks'];
let left = null;

/** Every shipped plant and scene, whatever its size: opens, and goes on for half a second. Pages share them. */
export async function checkScenes(page) {
  await setPlaying(page, false);
  left ??= await ask(page, (viewer) => viewer.items).then((items) =>
    [...LONG.filter((name) => items.includes(name)), ...items.filter((name) => !LONG.includes(name))]);
  while (left.length > 0) {
    await checkScene(page, left.shift());
  }
}

async function checkScene(page, name) {
  await openItem(page, name);
  const state = await ask(page, (viewer) => ({ name: viewer.name, fault: viewer.fault }));
  expect(state.name === name && state.fault === '', `${name} opens (${state.fault})`);
  const seconds = SHORTER[name] ?? 0.5;
  await run(page, seconds);
  const then = await ask(page, (viewer) => ({
    time: viewer.time, fault: viewer.fault, tip: viewer.tip(viewer.segments - 1) }));
  expect(then.time > 0.98 * seconds && then.fault === '' && then.tip.every(Number.isFinite),
    `${name} simulates ${seconds} s (${then.time}, ${then.fault})`);
}

// ---- hand ---------------------------------------------------------------------------------------

/** The highest tip at rest, where it is on the screen, and how many pixels 10 cm are there. */
async function highestTip(page) {
  const tip = await ask(page, (viewer) => viewer.highest());
  const rest = await tipOf(page, tip);
  const [x, y] = await screenOf(page, rest);
  const [side] = await screenOf(page, [rest[0] + 0.1, rest[1], rest[2]]);
  return { tip, rest, x, y, pixels: Math.abs(side - x) };
}

export async function checkDrag(page) {
  await openItem(page, 'wheat');
  await setPlaying(page, false);
  const { tip, rest, x, y, pixels } = await highestTip(page);
  await page.mouse.move(x, y);
  await page.mouse.down();
  expect(await ask(page, (viewer) => viewer.holding), 'pressing on the tip takes hold of it');
  await page.mouse.move(x + pixels, y, { steps: 5 });
  await pointerArrived(page);
  await run(page, 3);
  const to = await ask(page, (viewer) => viewer.heldTo);
  const held = await tipOf(page, tip);
  expect(Math.abs(distance(to, rest) - 0.1) < 0.02, `the pointer was moved by 10 cm (${distance(to, rest)})`);
  expect(distance(held, to) < 0.01, `the tip is within 1 cm of the pointer (${distance(held, to)})`);
  await page.mouse.up();
  expect(!(await ask(page, (viewer) => viewer.holding)), 'letting go lets go');
  await checkSway(page, tip, rest, held);
}

// After the release: past the middle, to and fro at the first frequency, and less and less.
async function checkSway(page, tip, rest, held) {
  const away = rest.map((r, k) => held[k] - r);
  const along = (p) => p.reduce((sum, v, k) => sum + (v - rest[k]) * away[k], 0) / Math.hypot(...away);
  const rows = await ask(page, (viewer, s) => viewer.follow(s, 6), tip);
  const swing = rows.map(([time, ...place]) => [time, along(place)]);
  const crossings = [];
  for (let k = 1; k < swing.length; k++) {
    const [[t0, a], [t1, b]] = [swing[k - 1], swing[k]];
    if (a * b < 0) {
      crossings.push(t0 + ((t1 - t0) * a) / (a - b));
    }
  }
  expect(Math.min(...swing.map(([, s]) => s)) < -0.02 * Math.hypot(...away), 'it swings past its rest');
  const used = crossings.slice(0, 7);
  const found = (used.length - 1) / 2 / (used[used.length - 1] - used[0]);
  await run(page, 25);
  const wanted = await ask(page, (viewer) => viewer.frequency(0));
  expect(Math.abs(found / wanted - 1) < 0.05, `it sways at ${found} Hz; its lowest mode has ${wanted} Hz`);
  const settled = along(await tipOf(page, tip));
  expect(Math.abs(settled) < 0.02 * Math.hypot(...away), `it comes to rest (${settled})`);
}

export async function checkTouch(page) {
  await openItem(page, 'wheat');
  await setPlaying(page, false);
  const { tip, x, y, pixels } = await highestTip(page);
  const view = await ask(page, (viewer) => viewer.view);
  const touch = await fingers(page);
  await touch('touchStart', [x, y]);
  expect(await ask(page, (viewer) => viewer.holding), 'a finger on the tip takes hold of it');
  for (let k = 1; k <= 5; k++) {
    await touch('touchMove', [x - (k * pixels) / 5, y]);
  }
  await pointerArrived(page);
  await run(page, 3);
  const to = await ask(page, (viewer) => viewer.heldTo);
  const held = await tipOf(page, tip);
  expect(distance(held, to) < 0.01, `the tip is within 1 cm of the finger (${distance(held, to)})`);
  await touch('touchEnd');
  expect(!(await ask(page, (viewer) => viewer.holding)), 'a finger that is lifted lets go');
  expect(distance(await ask(page, (viewer) => viewer.view), view) < 1e-9, 'the camera has stood still');
  const box = await page.locator('#view').boundingBox();
  const beside = [box.x + 0.1 * box.width, box.y + 0.3 * box.height];
  await touch('touchStart', beside);
  await touch('touchMove', [beside[0] + 60, beside[1]]);
  await touch('touchMove', [beside[0] + 120, beside[1]]);
  await touch('touchEnd');
  await waitFor(page, (azimuth) => Math.abs(window.tendrilViewer.view[4] - azimuth) > 0.1, view[4]);
}

/** How far tips have turned about the vertical through the base since then, rad. */
async function turnOf(page, segment, before) {
  const [base, now] = [await ask(page, (viewer) => viewer.base(0)), await tipOf(page, segment)];
  const angle = (p) => Math.atan2(p[2] - base[2], p[0] - base[0]);
  return Math.atan2(Math.sin(angle(now) - angle(before)), Math.cos(angle(now) - angle(before)));
}

/** The tip that is farthest from the vertical through the base. */
const farthest = (page) => ask(page, (viewer) => {
  const base = viewer.base(0);
  const away = (k) => Math.hypot(viewer.tip(k)[0] - base[0], viewer.tip(k)[2] - base[2]);
  let best = 0;
  for (let k = 1; k < viewer.segments; k++) {
    best = away(k) > away(best) ? k : best;
  }
  return best;
});

/** The highest segment that stands on the vertical through the base: the top of the stem. */
const topOfStem = (page) => ask(page, (viewer) => {
  const base = viewer.base(0);
  const on = ([x, , z]) => Math.hypot(x - base[0], z - base[2]) < 0.02;
  let best = 0;
  for (let k = 1; k < viewer.segments; k++) {
    best = on(viewer.tip(k)) && on(viewer.origin(k)) && viewer.tip(k)[1] > viewer.tip(best)[1] ? k : best;
  }
  return best;
});

async function twistBy(page, pixels) {
  const arm = await farthest(page);
  const before = await tipOf(page, arm);
  const [x, y] = await screenOf(page, await ask(page, (viewer, k) => viewer.origin(k), await topOfStem(page)));
  await page.mouse.move(x, y);
  await page.mouse.down();
  await page.mouse.move(x + pixels, y, { steps: 4 });
  await pointerArrived(page);
  await run(page, 1);
  const turn = await turnOf(page, arm, before);
  await page.mouse.up();
  await run(page, 24); // some swings, of 6 s each
  return { turn, left: await turnOf(page, arm, before) };
}

export async function checkTwist(page) {
  await openItem(page, 't-plant');
  await setPlaying(page, false);
  await page.keyboard.down('Shift');
  const shifted = await twistBy(page, 200);
  await page.keyboard.up('Shift');
  expect(Math.abs(shifted.turn) > 0.05, `shift and a drag twist the stem (${shifted.turn} rad)`);
  expect(Math.abs(shifted.left) < 0.2 * Math.abs(shifted.turn), `let go, it turns back (${shifted.left} rad)`);
  await page.locator('#twist').click();
  const pressed = await twistBy(page, -200);
  await page.locator('#twist').click();
  expect(pressed.turn * shifted.turn < 0, `the button twists it too, the other way (${pressed.turn} rad)`);
}

// ---- pot and forces -----------------------------------------------------------------------------

export async function checkPot(page) {
  await openItem(page, 'potted-sunflower');
  await setPlaying(page, false);
  const base = () => ask(page, (viewer) => viewer.base(0));
  const tip = await ask(page, (viewer) => viewer.highest());
  const [base0, tip0] = [await base(), await tipOf(page, tip)];
  await page.locator('#view').focus();
  await page.keyboard.down('ArrowRight');
  await run(page, 0.25);
  const [base1, tip1] = [await base(), await tipOf(page, tip)];
  const moved = base1.map((v, k) => v - base0[k]);
  const lag = tip1.reduce((sum, v, k) => sum + (v - tip0[k] - moved[k]) * moved[k], 0);
  expect(Math.hypot(...moved) > 0.01, `an arrow key moves the pot (${moved})`);
  expect(lag < 0, `the tip first stays behind (${lag})`);
  await page.keyboard.up('ArrowRight');
  await run(page, 0.1);
  expect(distance(await base(), base1) > 1e-3, 'let go, the pot slides on');
  await run(page, 3);
  const base3 = await base();
  await run(page, 0.5);
  expect(distance(await base(), base3) < 1e-9, 'and comes to rest');
}

export async function checkForces(page) {
  await openItem(page, 'rose');
  await setPlaying(page, false);
  const tip = await ask(page, (viewer) => viewer.highest());
  const rest = await tipOf(page, tip);
  const after = async (changes, seconds) => {
    await ask(page, (viewer, c) => viewer.set(c), changes);
    await run(page, seconds);
    return (await tipOf(page, tip)).map((v, k) => v - rest[k]);
  };
  const soft = await after({ stiffness: 0.1 }, 2);
  expect(soft[1] < -0.05, `a tenth of the stiffness lets the rose droop (${soft[1]} m)`);
  await page.locator('#undo').click();
  expect(await ask(page, (viewer) => viewer.settings.stiffness) === 1, 'undo takes it back');
  const back = await after({}, 4);
  expect(Math.abs(back[1]) < 0.4 * Math.abs(soft[1]), `and the rose rises again (${back[1]} m)`);
  await reset(page);
  const sideways = await after({ tilt: 90, turn: 0 }, 2);
  expect(sideways[0] > 0.03, `gravity to the side bends it to the side (${sideways[0]} m)`);
  await page.locator('#undo').click();
  await reset(page);
  const blown = await after({ wind: 10, windTurn: 90 }, 2);
  expect(blown[2] < -0.02, `wind leans it downwind (${blown[2]} m)`);
  await ask(page, (viewer) => viewer.set({ gust: 0.5, turbulence: 0.3, step: 1 / 120, integrator: 1 }));
  await run(page, 0.5);
  const { dt, fault } = await ask(page, (viewer) => ({ dt: viewer.dt, fault: viewer.fault }));
  expect(Math.abs(dt - 1 / 120) < 1e-9 && fault === '', `gusts, step and integrator change while it runs (${dt}, ${fault})`);
}

/** Each solver that the library knows makes the scene anew, and it goes on. */
export async function checkSolvers(page) {
  await openItem(page, 'three-radii-side-by-side');
  await setPlaying(page, false);
  const known = await ask(page, (viewer) => viewer.solvers);
  await page.locator('#tab-forces').click();
  const offered = await page.locator('#set-solver option').evaluateAll((all) => all.map(({ value }) => value));
  expect(known.length > 0 && known.every((name, k) => offered[k] === name), `all solvers can be chosen (${offered})`);
  const objects = (await ask(page, (viewer) => viewer.settings.solvers)).split(' ').length;
  expect(objects === 3, `each object has its solver (${objects})`);
  await ask(page, (viewer) => viewer.set({ stiffness: 0.5 }));
  for (const name of known) {
    await run(page, 0.2);
    await ask(page, (viewer, solver) => viewer.set({ solvers: Array(3).fill(solver).join(' '), damping: 2 }), name);
    await run(page, 0.2);
    const state = await ask(page, (viewer) => ({ time: viewer.time, fault: viewer.fault, settings: viewer.settings }));
    expect(state.fault === '' && state.time > 0.19, `${name} goes on (${state.time}, ${state.fault})`);
    expect(state.settings.stiffness === 0.5 && state.settings.solvers.startsWith(name), `${name}: other changes stay`);
  }
  await ask(page, (viewer) => viewer.set({ solvers: 'tree nothing tree' }));
  const { fault, settings } = await ask(page, (viewer) => ({ fault: viewer.fault, settings: viewer.settings }));
  expect(/solver/.test(fault) && !settings.solvers.includes('nothing'), `what is no solver is refused (${fault})`);
  await page.locator('#tab-plants').click();
}
