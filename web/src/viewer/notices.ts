// SPDX-License-Identifier: MIT
// What the page says beside the figures: what is wrong, what is good to know, and that time has
// slowed. Each can be closed.

import { byId } from './dom';

const NOTICES = ['fault', 'note', 'notice'] as const;
type Notice = (typeof NOTICES)[number];

/** Closed by hand: the same is not said again until something else is opened. */
let silenced = false;

function say(notice: Notice, message: string): void {
  const place = byId(notice);
  const text = place.querySelector('span')!;
  if (text.textContent !== message) {
    text.textContent = message;
  }
  place.hidden = message === '';
}

/** What a notice says now; nothing while it is closed. */
export function said(notice: Notice): string {
  return byId(notice).hidden ? '' : byId(notice).querySelector('span')!.textContent!;
}

/** Says what is wrong; nothing: that all is well. */
export function sayFault(message: string): void {
  say('fault', message);
}

/** Says what is good to know, until somebody does something. */
export function sayNote(message: string): void {
  say('note', message);
}

/** Says that time has slowed, and why. */
export function saySlow(message: string): void {
  say('notice', silenced ? '' : message);
}

/** Something else is shown. */
export function speakAgain(): void {
  silenced = false;
}

export function listenToNotices(): void {
  for (const notice of NOTICES) {
    byId(notice).querySelector('button')!.addEventListener('click', () => {
      silenced ||= notice === 'notice';
      say(notice, '');
    });
  }
  // a note has been read when somebody goes on
  ['pointerdown', 'keydown'].forEach((name) => document.addEventListener(name, () => sayNote('')));
}
