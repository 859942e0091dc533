import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { openLoops } from '../stress/stress.ts';
import { withoutBubblewrap } from '../support/bubblewrap.ts';
import { startPostgres } from '../support/postgres.ts';
import { openPostgres, openSqlite, type OpenedTables } from './open-tables.ts';
import { openStage, startPlay } from './play.ts';
import { plays } from './plays.ts';

const { createLoop } = openLoops(import.meta);
const server = await startPostgres();
after(() => server?.[Symbol.asyncDispose]());

const databases: readonly (readonly [string, (() => OpenedTables | Promise<OpenedTables>) | undefined])[] = [
  ['SQLite', openSqlite],
  ['PostgreSQL', server && (() => openPostgres(server))],
];

for (const [kind, open] of databases) {
  const loop = createLoop({ small: 1, full: 100 });
  const skip = open === undefined ? `${kind} is not installed` : withoutBubblewrap;

  test(
    `${kind}: the requests of three tables, in any mixture, leave the expected records`,
    { skip },
    async () => {
      await loop.rounds(async ({ random }) => {
        assert.ok(open !== undefined);
        await using opened = await open();
        await using stage = openStage(opened);
        const playing = [];
        for (const play of plays) playing.push(await startPlay(play, stage));
        const problems: string[] = [];
        for (let waiting = playing; waiting.length > 0; waiting = playing.filter(({ left }) => left > 0))
          problems.push(...(await random.pick(waiting).next()));
        assert.deepEqual(problems, []);
      });
    },
  );
}
