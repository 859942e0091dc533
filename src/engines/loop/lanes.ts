/**
 * Does the work of all items and gives the results in their order. So many run at the same time; one that is
 * sequential waits for all before it and holds back all behind it. `work` never rejects.
 */
export async function runInLanes<Item, Result>(
  items: readonly Item[],
  isSequential: (item: Item) => boolean,
  most: number,
  work: (item: Item, index: number) => Promise<Result>,
): Promise<readonly Result[]> {
  const results: Result[] = [];
  const underWay = new Set<Promise<void>>();
  for (const [index, item] of items.entries()) {
    const isAlone = isSequential(item);
    if (isAlone) await Promise.all(underWay);
    while (underWay.size >= most) await Promise.race(underWay);
    const one = work(item, index).then((result) => {
      results[index] = result;
      underWay.delete(one);
    });
    underWay.add(one);
    if (isAlone) await one;
  }
  await Promise.all(underWay);
  return results;
}
