import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fitRows, fitTo } from './fit.ts';

test('a long line continues below it, with more indentation', () => {
  const line = '  A server is ignored, because a project could start programs.';
  assert.equal(
    fitTo(`short\n${line}`, 30),
    'short\n  A server is ignored, because\n    a project could start\n    programs.',
  );
  assert.equal(fitRows(line, { width: undefined }), line);
});

test('a command, a path and the spaces between columns are not broken', () => {
  assert.equal(
    fitTo('Trust the project: skilled trust grant .', 30),
    'Trust the project:\n  skilled trust grant .',
  );
  assert.equal(
    fitTo('Use `skilled trust grant --all` now.', 12),
    'Use\n  `skilled trust grant --all`\n  now.',
  );
  assert.equal(
    fitTo('user    absent  /a/very/long/path.json', 20),
    'user    absent\n  /a/very/long/path.json',
  );
  const bold = 'Trust it: \u001b[1mskilled trust grant .\u001b[22m';
  assert.equal(fitTo(bold, 24), bold.replace(': ', ':\n  '));
});
