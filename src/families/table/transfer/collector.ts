import { AgentError, nearestNames, type Json, type JsonObject } from '../../../core/index.ts';
import type { LocalClock } from '../../../engines/values/calendar.ts';
import { badFile, tooLarge, unguardCell } from '../../../files/index.ts';
import { readValue } from '../read-value.ts';
import { atLine, type ChangeFault } from '../records/change.ts';
import type { Field, Table } from '../table.ts';

/** The records read from a file, one for each row, including invalid rows. */
export interface ReadRecords {
  readonly records: readonly JsonObject[];
  /** The faults found. Each message includes the line number. */
  readonly faults: readonly ChangeFault[];
  /** The line number in the file where each record begins. */
  readonly lines: readonly number[];
}

/** Collects a file's records one by one. */
export interface Collector extends ReadRecords {
  /** Adds the values of one row. If the row cannot be read at all, `fault` contains the reason. */
  add(line: number, given: readonly (readonly [Field, Json])[], fault?: string): void;
}

const maxRows = 1_000_000;
const maxFaults = 10_000;
const noteEvery = 20_000; // The number of rows between two progress reports.

/** Creates a collector for one file. It reports progress periodically. */
export function createCollector(
  shown: string,
  clock: LocalClock,
  note: (message: string) => void,
): Collector {
  const records: JsonObject[] = [];
  const faults: ChangeFault[] = [];
  const lines: number[] = [];

  const blame = (line: number, message: string, field?: Field): void => {
    const index = records.length;
    faults.push(atLine({ index, ...(field === undefined ? {} : { field: field.name }), message }, line));
    if (faults.length <= maxFaults) return;
    const hint =
      'Check that the file is meant for this table and that the content of each column matches its name.';
    throw badFile(
      `"${shown}" has more than ${maxFaults.toLocaleString('en')} faults. ${faults[0]?.message ?? ''}`,
      hint,
    );
  };

  return {
    records,
    faults,
    lines,
    add(line, given, fault) {
      if (records.length >= maxRows) {
        const most = `${maxRows.toLocaleString('en')} rows`;
        throw tooLarge(`"${shown}" has more than ${most}.`, `Split it into files of at most ${most}.`);
      }
      const values: (readonly [string, Json])[] = [];
      for (const [field, value] of given) {
        const read = readValue(field, value, clock);
        if ('value' in read) values.push([field.name, read.value]);
        else if (field.resolver !== undefined)
          values.push([field.name, value]); // The field's resolver may still accept the value.
        else blame(line, read.fault, field);
      }
      if (fault !== undefined) blame(line, fault);
      records.push(Object.fromEntries(values));
      lines.push(line);
      if (records.length % noteEvery === 0)
        note(`Read ${records.length.toLocaleString('en')} rows of ${shown}.`);
    },
  };
}

/** Maps the names in a file to fields. Collects the names that match no field. */
export interface NameMatcher {
  match(name: string): Field | undefined;
  /**
   * Throws `usage.bad-input` if any name matched no field. The error lists these names and suggests similar
   * fields.
   */
  mustBeKnown(): void;
}

/** Returns the fields named in a file's header, in order. Throws for unknown, repeated or unnamed columns. */
export function matchHead(table: Table, head: readonly string[], shown: string): readonly Field[] {
  const matcher = createNameMatcher(table, shown);
  const unnamed = head.findIndex((name) => name.trim() === '');
  if (unnamed >= 0) {
    const hint = 'Name this column in the first row, or remove the column.';
    throw badFile(`Column ${unnamed + 1} of "${shown}" has no name.`, hint);
  }
  const fields = head.map((name) => matcher.match(name));
  matcher.mustBeKnown();
  const found = fields.filter((field) => field !== undefined);
  const again = found.findIndex((field, index) => found.indexOf(field) < index);
  const twice = found[again];
  if (twice === undefined) return found;
  const names = head.filter((_, index) => found[index] === twice).map((name) => `"${name}"`);
  const message = `Several columns in "${shown}" refer to ${twice.name}: ${listWords(names)}.`;
  throw badFile(message, 'Keep only one of these columns.');
}

/** Creates a matcher for the names in one file. Declared names take precedence over labels and aliases. */
export function createNameMatcher(table: Table, shown: string): NameMatcher {
  const known = new Map<string, Field | undefined>();
  const mustBeKnown = (): void => {
    const unknown = [...known].filter(([, field]) => field === undefined).map(([name]) => name);
    if (unknown.length > 0) throw unknownNames(table, shown, unknown);
  };
  return {
    match(name) {
      if (known.has(name)) return known.get(name);
      if (known.size >= maxNames) mustBeKnown();
      const field = table.find(name) ?? table.find(unguardCell(name));
      known.set(name, field);
      return field;
    },
    mustBeKnown,
  };
}

// The maximum number of names to collect. Beyond that, an unknown name throws immediately.
const maxNames = 1000;
const maxShown = 20;

function unknownNames(table: Table, shown: string, unknown: readonly string[]): AgentError {
  const names = unknown.map((name) => `"${name.slice(0, 60)}"`);
  const near = unknown.slice(0, maxShown).flatMap((name) => {
    const [nearest] = nearestNames(
      name,
      table.fields.map((field) => field.name),
      1,
    );
    return nearest === undefined ? [] : [`"${nearest}" for "${name.slice(0, 60)}"`];
  });
  const question = near.length === 0 ? '' : `Did you mean ${listWords(near)}? `;
  const fields = table.fields.map(({ name }) => name).join(', ');
  const verb = names.length === 1 ? 'is not a field' : 'are not fields';
  return new AgentError('usage.bad-input', `In "${shown}", ${listWords(names)} ${verb} of ${table.name}.`, {
    hint: `${question}Rename or remove unknown names; the fields are: ${fields}.`,
    details: { unknown: unknown.slice(0, maxShown) },
  });
}

/**
 * Joins words for a sentence, as in `a, b and c`. Lists at most 20 words, followed by the number of remaining
 * words.
 */
function listWords(words: readonly string[]): string {
  const shown = words.slice(0, maxShown);
  const last = words.length > maxShown ? `${words.length - maxShown} more` : shown.pop();
  return shown.length === 0 ? (last ?? '') : `${shown.join(', ')} and ${last ?? ''}`;
}
