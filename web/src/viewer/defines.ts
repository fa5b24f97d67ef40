// SPDX-License-Identifier: MIT
// Numbers that a model gives names to, as sliders need them: the value, where it stands in the text,
// and a range. A comment says the range, `#define ANGLE 25 // 10..40 degrees`; else it is taken from
// the value.

const NUMBER = '[-+]?(?:\\d+\\.?\\d*|\\.\\d+)(?:[eE][-+]?\\d+)?';
const DEFINE = new RegExp(`^([ \\t]*#define[ \\t]+([A-Za-z_]\\w*)[ \\t]+)(${NUMBER})[ \\t]*(?:(//|/\\*)[ \\t]*(.*?)[ \\t]*(?:\\*/[ \\t]*)?)?$`, 'gm');
const RANGE = new RegExp(`(?:^|[\\s,;(])(${NUMBER})[ \\t]*\\.\\.[ \\t]*(${NUMBER})(?=$|[\\s,;).%°])[,;]?[ \\t]*`);
/** A number in one of these units need not be whole, however it is written. */
const MEASURED = /^(?:mm|cm|m|kg|g|s|Pa|GPa|MPa|N|rad|radians|degrees?|°)\b/;
const STEPS_MORE = 0.2; // of the derivation length: growth can double with every step
const SLIDER_PLACES = 200;

export interface Define {
  name: string;
  value: number;
  /** What the comment says beside the range. */
  text: string;
  low: number;
  high: number;
  /** The comment says the range. */
  said: boolean;
  /** Decimal places that are worth writing. */
  places: number;
}

/** All numbers that have a name, in the order of the text; a name that is defined twice is left out. */
export function readDefines(text: string): Define[] {
  const found = [...text.matchAll(DEFINE)].map(([, , name, written, , comment = '']) => {
    return makeDefine(name, written, comment, isLength(text, name));
  });
  return found.filter(({ name }) => text.match(new RegExp(`^[ \\t]*#define[ \\t]+${name}\\b`, 'gm'))!.length === 1);
}

/** The text with another value; all else stays, comments in their column where there is room. */
export function writeDefine(text: string, name: string, value: string): string {
  return text.replace(DEFINE, (line: string, head: string, found: string, before: string) => {
    if (found !== name) {
      return line;
    }
    const rest = line.slice(head.length + before.length);
    const gap = /^[ \t]*/.exec(rest)![0];
    const room = gap.length > 0 ? Math.max(1, gap.length + before.length - value.length) : 0;
    return head + value + (gap.includes('\t') ? gap : ' '.repeat(room)) + rest.slice(gap.length);
  });
}

/** How a value is written that a slider has. */
export function writeValue(value: number, { places }: Define): string {
  return places > 12 ? value.toPrecision(3) : String(Number(value.toFixed(places)));
}

function isLength(text: string, name: string): boolean {
  return new RegExp(`^[ \\t]*derivation length[ \\t]*:[^\\n]*\\b${name}\\b`, 'im').test(text);
}

function makeDefine(name: string, written: string, comment: string, length: boolean): Define {
  const value = Number(written);
  const range = RANGE.exec(comment);
  const said = range ? [range[1], range[2]] : [];
  const text = range ? comment.replace(range[0], range.index === 0 ? '' : ' ').trim() : comment;
  const whole = [written, ...said].every((part) => /^[-+]?\d+$/.test(part)) && !MEASURED.test(text);
  const [low, high] = range ? said.map(Number) : inferRange(value, whole, length);
  const places = whole ? 0 : Math.max(decimals(written), placesFor(high - low));
  const [least, most] = [Math.min(low, high, value), Math.max(low, high, value)];
  return { name, value, text, low: least, high: most, said: range !== null, places };
}

// half as much to half as much again; what counts the steps of growth goes up less
function inferRange(value: number, whole: boolean, length: boolean): [number, number] {
  const [down, up] = [value / 2, value * (length ? 1 + STEPS_MORE : 1.5)];
  if (value === 0) {
    return [0, 1];
  }
  return whole ? [Math.floor(Math.min(down, up)), Math.ceil(Math.max(down, up, down + 1))] : [down, up];
}

function decimals(written: string): number {
  const [, fraction = '', power = '0'] = /^[-+]?\d*\.?(\d*)(?:[eE]([-+]?\d+))?$/.exec(written)!;
  return Math.max(0, fraction.length - Number(power));
}

// so that a pixel of the slider makes a difference
function placesFor(range: number): number {
  return Math.max(0, Math.ceil(-Math.log10(Math.max(range, 1e-300) / SLIDER_PLACES)));
}
