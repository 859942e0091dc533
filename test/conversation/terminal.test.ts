// Own process: waits for programs at pseudo-terminals.
import { randomInt } from 'node:crypto';
import { describe, test } from 'node:test';
import { withoutBubblewrap } from '../support/bubblewrap.ts';
import { withoutTerminal } from '../support/pseudo-terminal.ts';
import { conversations } from './scripts.ts';
import { checkScreen, holdAtTerminal, widths } from './terminal.ts';

// Each run takes every fifth conversation, at one width each. Fifteen seeds in a row cover all conversations at
// all widths, as the long loops do.
const parts = 5;
const given = Number(process.env['SKILLED_TERMINAL_SEED'] ?? randomInt(parts * widths.length));
const chosen = conversations
  .map((conversation, index) => ({ conversation, index }))
  .filter(({ index }) => index % parts === given % parts);

describe('a conversation at a terminal shows the recorded screen', { skip: withoutTerminal }, () => {
  for (const { conversation, index } of chosen) {
    const columns = widths[(Math.floor(given / parts) + index) % widths.length] ?? 80;
    const skip = conversation.servers !== undefined && withoutBubblewrap;
    test(
      `${conversation.name} at ${columns} columns (SKILLED_TERMINAL_SEED=${given})`,
      { skip },
      async () => {
        checkScreen(conversation.name, columns, await holdAtTerminal(conversation, columns));
      },
    );
  }
});
