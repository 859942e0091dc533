import assert from 'node:assert/strict';
import { test } from 'node:test';
import { knownProviders } from './known.ts';
import { priceOf, pricesOf } from './prices.ts';

test('a model is found by its name, dated or not, and a stranger is not', () => {
  const price = priceOf('anthropic/claude-sonnet-4-5');
  assert.equal(price?.output, 15);
  assert.equal(priceOf('anthropic/claude-sonnet-4-5-20250929'), price);
  assert.equal(priceOf('openai/gpt-4.1-mini-2025-04-14'), priceOf('openai/gpt-4.1-mini'));
  assert.equal(priceOf('openai/gpt-6.1-sol-2026-09-29')?.cached, 0.1);
  assert.equal(priceOf('openai/gpt-4o-2024-05-13')?.input, 5, 'the first one cost more than the later ones');
  assert.notEqual(priceOf('openai/gpt-5'), undefined);
  for (const name of [
    'openai/gpt-99',
    'gpt-5',
    'mine/gpt-5',
    'openai/gpt-5-2',
    'google/gemini-flash-latest',
    '',
    '__proto__',
    'constructor',
  ])
    assert.equal(priceOf(name), undefined, name);
});

test('own prices go first', () => {
  const own = { 'openai/gpt-5': { input: 1, output: 2 } };
  assert.deepEqual(priceOf('openai/gpt-5', own), { input: 1, output: 2 });
  assert.equal(priceOf('openai/gpt-5-mini', own)?.input, 0.25);
});

test('the table says when it was true', () => {
  assert.match(pricesOf, /^\d{4}-\d{2}$/);
});

test('every model that is used when no one chose any has a price, and the fast one is the cheapest', () => {
  const priced = knownProviders.filter(({ name, models }) => models !== undefined && name !== 'openrouter');
  assert.ok(priced.length >= 3);
  for (const { name, models } of priced) {
    assert.ok(models);
    const [plan, fast, code] = [models.plan, models.fast, models.code].map((model) => {
      const price = priceOf(`${name}/${model}`);
      assert.ok(price, `${name}/${model}`);
      return price;
    });
    assert.ok(plan && fast && code);
    for (const other of [plan, code])
      assert.ok(fast.input < other.input && fast.output < other.output, `${name} ${models.fast}`);
  }
});

test('what a cache had costs less than other input, and what is written to it no less', () => {
  for (const { name, models } of knownProviders) {
    for (const model of Object.values(models ?? {}) as string[]) {
      const price = priceOf(`${name}/${model}`);
      if (price === undefined) continue;
      const { input, output, cached = input, cacheWrite = input } = price;
      assert.ok(cached < input && input <= cacheWrite && cacheWrite < output, `${name}/${model}`);
    }
  }
});
