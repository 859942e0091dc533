import { sql, type Expression, type ExpressionBuilder } from 'kysely';
import { compile, type Dialect, type EntryTable, type Statement, type Tables } from './dialect.ts';

/** The statements about values. */
interface ValueStatements {
  readonly get: Statement<Address, { value: string }>;
  readonly set: Statement<NewValue, unknown>;
  /** Gives a row when it did. */
  readonly add: Statement<NewValue, { key: string }>;
  readonly delete: Statement<Address, unknown>;
  readonly clear: Statement<{ space: string }, unknown>;
  readonly entries: Statement<{ space: string }, Pick<EntryTable, 'key' | 'long_key' | 'value'>>;
  readonly expire: Statement<object, unknown>;
}

/** Where a value is. */
export interface Address {
  readonly space: string;
  readonly key: string;
}

/** A value as it is put in; without `ttlMs` it stays. */
export interface NewValue extends Address {
  readonly longKey: string | null;
  readonly value: string;
  readonly ttlMs: number | null;
}

/** Compiles the statements about values. */
export function buildValueStatements({ database, now }: Dialect): ValueStatements {
  const isAlive = (eb: ExpressionBuilder<Tables, 'entries'>): Expression<boolean> =>
    eb.or([eb('expires_at', 'is', null), eb('expires_at', '>', now)]) as Expression<boolean>;
  const put = (only?: 'where there is none'): Statement<NewValue, { key: string }> =>
    compile((slot) =>
      database
        .insertInto('entries')
        .values({
          ...{ space: slot('space'), key: slot('key'), long_key: slot('longKey'), value: slot('value') },
          expires_at: sql<number>`${now} + cast(${slot('ttlMs')} as double precision)`,
        })
        .onConflict((conflict) => {
          const change = conflict.columns(['space', 'key']).doUpdateSet((eb) => ({
            value: eb.ref('excluded.value'),
            expires_at: eb.ref('excluded.expires_at'),
          }));
          return only === undefined ? change : change.where('entries.expires_at', '<=', now);
        })
        .returning('key'),
    );

  return {
    get: compile((slot) =>
      database
        .selectFrom('entries')
        .select('value')
        .where('space', '=', slot('space'))
        .where('key', '=', slot('key'))
        .where(isAlive),
    ),
    set: put(),
    add: put('where there is none'),
    delete: compile((slot) =>
      database.deleteFrom('entries').where('space', '=', slot('space')).where('key', '=', slot('key')),
    ),
    clear: compile((slot) => database.deleteFrom('entries').where('space', '=', slot('space'))),
    entries: compile((slot) =>
      database
        .selectFrom('entries')
        .select(['key', 'long_key', 'value'])
        .where('space', '=', slot('space'))
        .where(isAlive),
    ),
    expire: compile(() => database.deleteFrom('entries').where('expires_at', '<=', now)),
  };
}
