import type { Json, JsonObject } from '../../../core/index.ts';
import { atLine, type ChangeFault } from '../records/change.ts';
import type { Field, TableClock } from '../table.ts';
import { readValue } from '../values/value-types.ts';
import { badFile, tooLarge } from './read-pieces.ts';

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
  clock: TableClock,
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
