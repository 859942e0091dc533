import { readNumber, writeNumber } from './number.ts';

export interface Invoice {
  readonly last: string;
  readonly day: string;
}

export async function action({ last, day }: Invoice): Promise<string> {
  const before = readNumber(last);
  const year = Number(day.slice(0, 4));
  if (year < before.year) throw new Error(`${last} is of ${before.year}, and ${day} is in ${year}.`);
  if (year > before.year) return writeNumber({ year, count: 1 });
  if (before.count === 9999) throw new Error(`All numbers of ${year} are used up.`);
  return writeNumber({ year, count: before.count + 1 });
}
