import { describe, test } from 'node:test';
import { withoutTerminal } from '../support/pseudo-terminal.ts';
import { conversations } from './scripts.ts';
import { checkScreen, holdAtTerminal, widths } from './terminal.ts';

describe('every conversation at every width shows the recorded screen', { skip: withoutTerminal }, () => {
  for (const conversation of conversations)
    for (const columns of widths)
      test(`${conversation.name} at ${columns} columns`, async () => {
        checkScreen(conversation.name, columns, await holdAtTerminal(conversation, columns));
      });
});
