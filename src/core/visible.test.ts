import assert from 'node:assert/strict';
import { test } from 'node:test';
import { visible } from './visible.ts';

test('what cannot be seen is spelled out', () => {
  assert.equal(visible('echo a\nrm  b'), 'echo a\\nrm  b');
  assert.equal(visible('a\u202eb\u200bc\u001b[1Ad\r'), 'a\\u{202e}b\\u{200b}c\\u{1b}[1Ad\\u{d}');
  assert.equal(
    visible('\u2028\u2060\ufeff\u{e0041} \ud800'),
    '\\u{2028}\\u{2060}\\u{feff}\\u{e0041} \\u{d800}',
  );
});

test('a blank that is no blank to a shell is spelled out', () => {
  assert.equal(visible('echo x\u00a0# ; rm y\u3000\u2800'), 'echo x\\u{a0}# ; rm y\\u{3000}\\u{2800}');
});

test('what can be seen stays as it is', () => {
  const text = 'Grüße, 世界 🚲 "\\n"';
  assert.equal(visible(text), text);
});
