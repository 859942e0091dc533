import type * as Sqlite from 'node:sqlite';

/** Node's SQLite, loaded without the warning that some versions print to stderr about it. */
export function loadSqlite(): typeof Sqlite {
  const { emitWarning } = process;
  process.emitWarning = () => {}; // only while the module loads, which is at once
  try {
    return process.getBuiltinModule('node:sqlite');
  } finally {
    process.emitWarning = emitWarning;
  }
}
