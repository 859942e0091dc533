// Own process: waits for programs at pseudo-terminals.
import { describe, test } from 'node:test';
import { withoutBubblewrap } from '../support/bubblewrap.ts';
import { withoutTerminal } from '../support/pseudo-terminal.ts';
import { conversations } from './scripts.ts';
import { checkScreen, holdAtTerminal, widths } from './terminal.ts';

// The long loops hold every conversation at every width.
describe('a conversation at a terminal shows the recorded screen', { skip: withoutTerminal }, () => {
  for (const [index, conversation] of conversations.entries()) {
    const columns = widths[index % widths.length] ?? 80;
    const skip = conversation.servers !== undefined && withoutBubblewrap;
    test(`${conversation.name} at ${columns} columns`, { skip }, async () => {
      checkScreen(conversation.name, columns, await holdAtTerminal(conversation, columns));
    });
  }
});
