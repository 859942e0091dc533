import type { Database } from '../../../core/index.ts';
import type { Physical } from '../schema/physical.ts';
import type { Table } from '../table.ts';
import { countRecords } from './count.ts';
import { eachRecord } from './each.ts';
import { groupRecords } from './group.ts';
import { listRecords } from './list.ts';
import { measureRecords } from './measure.ts';
import { buildRecordsGround } from './records-ground.ts';
import type { Records } from './records.ts';
import { checkWrite } from './write/check-write.ts';
import { readLastWrite } from './write/last-write.ts';
import { readWritten } from './write/read-written.ts';
import { writeChanges } from './write/write-changes.ts';

/** Records by statements that a database of either kind runs; nothing is filtered, sorted or counted here. */
export function createRecords(database: Database, table: Table, physical: Physical): Records {
  const ground = buildRecordsGround(database, table, physical);
  return {
    list: (window) => listRecords(ground, window),
    each: (window, size) => eachRecord(ground, window, size),
    count: (where) => countRecords(ground, where),
    measure: (request) => measureRecords(ground, request),
    group: (request) => groupRecords(ground, request),
    check: (changes) => checkWrite(ground, changes),
    write: (changes, author) => writeChanges(ground, changes, author),
    written: (stepId) => readWritten(ground, stepId),
    lastWrite: (session) => readLastWrite(ground, session),
    undo: (last, author) => writeChanges(ground, last.changes, author, last),
  };
}
