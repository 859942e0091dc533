import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AgentError, toErrorData } from '../../core/error.ts';
import { hearPrinted } from './channel.ts';
import { withPrinted } from './errors.ts';

test('an error says how much of the printed output is missing from its details', () => {
  const printed = hearPrinted();
  printed.listener.onStdout(Buffer.from('short'));
  for (let piece = 0; piece < 3; piece += 1) printed.listener.onStderr(Buffer.from('x'.repeat(100_000)));
  printed.listener.onStderr(Buffer.from('The cause.'));
  const { details } = toErrorData(withPrinted(new AgentError('skill.failed', 'No.'), printed));
  const stderr = `[… 298,010 characters left out …]\n${'x'.repeat(1990)}The cause.`;
  assert.deepEqual(details, { stdout: 'short', stderr });
});

test('an error has no details when nothing was printed', () => {
  const error = new AgentError('skill.failed', 'No.');
  assert.equal(withPrinted(error, hearPrinted()), error);
});
