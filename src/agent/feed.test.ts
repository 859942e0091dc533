import assert from 'node:assert/strict';
import { test } from 'node:test';
import { settled } from '../../test/support/kernel.ts';
import { Feed } from './feed.ts';

async function all<Item>(feed: AsyncIterable<Item>): Promise<readonly Item[]> {
  const items: Item[] = [];
  for await (const item of feed) items.push(item);
  return items;
}

test('every reader gets every item, whenever it begins to read', async () => {
  const feed = new Feed<number>();
  const early = all(feed);
  feed.push(1);
  const between = all(feed);
  await Promise.resolve();
  feed.push(2);
  feed.end();
  const readers = await settled(Promise.all([early, between, all(feed), all(feed)]));
  assert.deepEqual(readers, [
    [1, 2],
    [1, 2],
    [1, 2],
    [1, 2],
  ]);
});

test('a reader that stops keeps nobody from reading', async () => {
  const feed = new Feed<number>();
  feed.push(1);
  for await (const item of feed) {
    assert.equal(item, 1);
    break;
  }
  feed.push(2);
  feed.end();
  assert.deepEqual(await settled(all(feed)), [1, 2]);
});

test('an empty feed ends', async () => {
  const feed = new Feed<number>();
  const reader = all(feed);
  await Promise.resolve();
  feed.end();
  assert.deepEqual(await settled(reader), []);
});
