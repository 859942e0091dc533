import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { providerClients, readStream, readWhole } from '../../../test/support/provider-clients.ts';
import { openLoops } from '../../../test/stress/stress.ts';
import { openModelServer } from './server.ts';
import { anyCharacter } from '../garbage.ts';
import type { ServedReply, ServedSplit } from './script.ts';

const { createLoop } = openLoops(import.meta);
const text =
  'Zwölf Boxkämpfer 😀👩‍👩‍👧 天气\n\ndata: [DONE]\n\nevent: message_stop\r\n\u2028"quoted" \\ \u0000 end ';
const call = { name: 'note', input: { text: '"\\😀\n' } };
const splits: readonly ServedSplit[] = ['natural', 'awkward', 'bytes', 'together', [1, 100, 101, 102, 350]];

for (const { name, open } of providerClients) {
  describe(`answers arrive whole at ${name}`, () => {
    for (const split of splits) {
      for (const crlf of split === 'bytes' ? [true] : [false, true]) {
        test(`split ${String(split)}, lines ending with ${crlf ? 'CR LF' : 'LF'}`, async () => {
          // Sending single bytes is slow, so the text is shorter.
          const turn: ServedReply = {
            text,
            calls: [call],
            split,
            crlf,
            ...(split === 'bytes' ? { pieces: 2 } : {}),
          };
          await using server = await openModelServer([turn, turn]);
          const model = open(server.url);
          for (const answer of [await readStream(model), await readWhole(model)]) {
            assert.equal(answer.text, text);
            assert.deepEqual(JSON.parse(answer.calls[0]?.input ?? ''), call.input);
            assert.deepEqual(answer.errors, []);
          }
        });
      }
    }

    const loop = createLoop({ small: 8, full: 500 });
    test('whatever the text and wherever it is cut', async () => {
      let turn: ServedReply = {};
      await using server = await openModelServer(() => turn);
      const model = open(server.url);
      await fc.assert(
        fc.asyncProperty(
          anyText,
          fc.array(fc.nat(3000), { maxLength: 30 }),
          fc.boolean(),
          fc.nat(9),
          async (said, positions, crlf, pieces) => {
            turn = { text: said, calls: [{ name: 'note', input: { said } }], split: positions, crlf, pieces };
            const answer = await readStream(model);
            assert.equal(answer.text, said);
            assert.deepEqual(JSON.parse(answer.calls[0]?.input ?? ''), { said });
            assert.deepEqual(answer.errors, []);
          },
        ),
        loop.runs(),
      );
    });
  });
}

const anyText = fc
  .array(
    fc.oneof(
      fc.string({ unit: anyCharacter, maxLength: 8 }),
      fc.constantFrom(
        'data: ',
        '\n',
        '\r\n',
        '\n\n',
        ': ',
        'event: error',
        '[DONE]',
        '😀',
        'é',
        '\ufeff',
        '\\u00',
        '"',
      ),
    ),
    { maxLength: 20 },
  )
  .map((parts) => parts.join(''));
