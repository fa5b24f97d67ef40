// SPDX-License-Identifier: MIT
// Tables of numbers as a run records them: comma-separated, the first column is time in seconds,
// a heading such as "tip.x [m]" has the unit in brackets.

export interface Column {
  name: string;
  unit: string;
  values: Float64Array;
}

export interface Table {
  time: Float64Array;
  columns: Column[];
}

/** Columns that share a unit, and so an axis. */
export interface ChartData {
  unit: string;
  time: Float64Array;
  columns: Column[];
}

export function parseTable(text: string): Table {
  const lines = text.split(/\r?\n/).filter((line) => line.trim() !== '');
  const headings = (lines[0] ?? '').split(',');
  const rows = lines.slice(1).map((line) => line.split(',').map(Number));
  const column = (k: number): Float64Array => Float64Array.from(rows, (row) => row[k] ?? NaN);
  return {
    time: column(0),
    columns: headings.slice(1).map((heading, i) => ({ ...label(heading), values: column(i + 1) })),
  };
}

export function charts(table: Table): ChartData[] {
  const byUnit = new Map<string, Column[]>();
  for (const column of table.columns) {
    byUnit.set(column.unit, [...(byUnit.get(column.unit) ?? []), column]);
  }
  return [...byUnit].map(([unit, columns]) => ({ unit, time: table.time, columns }));
}

/** The value at a time, between the rows on both sides of it. */
export function valueAt(time: Float64Array, values: Float64Array, t: number): number {
  let [low, high] = [0, time.length - 1];
  if (high < 0) {
    return NaN;
  }
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    [low, high] = time[middle] <= t ? [middle, high] : [low, middle];
  }
  const span = time[high] - time[low];
  const share = span > 0 ? Math.min(Math.max((t - time[low]) / span, 0), 1) : 0;
  return values[low] + share * (values[high] - values[low]);
}

function label(heading: string): { name: string; unit: string } {
  const match = /^\s*(.*?)\s*\[(.*)\]\s*$/.exec(heading);
  return match ? { name: match[1], unit: match[2] } : { name: heading.trim(), unit: '' };
}
