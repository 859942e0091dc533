import { AgentError, type Json, type JsonObject } from '../../../core/index.ts';
import { atLine, type ChangeFault } from '../records/change.ts';
import type { TableClock, Field } from '../table.ts';
import { readValue } from '../values/read-value.ts';

/** What a file came to; there is a record for each row, also where it has faults. */
export interface ReadRecords {
  readonly records: readonly JsonObject[];
  /** Each says its line. */
  readonly faults: readonly ChangeFault[];
  /** The line in the file on which each record begins. */
  readonly lines: readonly number[];
}

/** Takes the records of a file one by one. */
export interface Collector extends ReadRecords {
  /** Adds what one row says of fields. A row that cannot be read at all has a fault of its own. */
  add(line: number, given: readonly (readonly [Field, Json])[], fault?: string): void;
}

const mostRows = 1_000_000;
const mostFaults = 10_000;
const noteEvery = 20_000; // rows

/** A collector for one file, which tells from time to time how far it is. */
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
    if (faults.length > mostFaults) throw tooManyFaults(shown, faults);
  };

  return {
    records,
    faults,
    lines,
    add(line, given, fault) {
      if (records.length >= mostRows) throw tooManyRows(shown);
      const values: (readonly [string, Json])[] = [];
      for (const [field, value] of given) {
        const read = readValue(field, value, clock);
        if ('value' in read) values.push([field.name, read.value]);
        else if (field.resolver !== undefined)
          values.push([field.name, value]); // it may be as people are shown it
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

function tooManyRows(shown: string): AgentError {
  const most = mostRows.toLocaleString('en');
  return new AgentError('limit.too-large', `"${shown}" has more than ${most} rows.`, {
    hint: `Split it into files of at most ${most} rows.`,
  });
}

function tooManyFaults(shown: string, [first]: readonly ChangeFault[]): AgentError {
  const most = mostFaults.toLocaleString('en');
  return new AgentError(
    'usage.bad-input',
    `"${shown}" has more than ${most} faults. ${first?.message ?? ''}`,
    {
      hint: 'Perhaps it is meant for another table, or a column holds something else than its name says.',
    },
  );
}
