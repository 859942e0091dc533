// Prints the results when all shards have finished.

/**
 * Prints the slowest files and the totals. Returns the exit code. SKILLED_NO_SKIP turns every skipped test
 * into a failure.
 */
export function printSummary(shards, seed) {
  const files = shards.flatMap(({ results }) => results);
  const sum = (key) => files.reduce((total, result) => total + result[key], 0);
  const skipped = files.flatMap(({ file, skipped: titles }) => titles.map((title) => `  ${file}: ${title}`));

  console.log(`\nThe ten dearest files, by CPU seconds (${sum('cpu').toFixed(0)} in all):`);
  for (const { file, cpu, ms } of [...files].sort((a, b) => b.cpu - a.cpu).slice(0, 10))
    console.log(`  ${cpu.toFixed(1).padStart(6)}  ${file} (${(ms / 1000).toFixed(1)} s)`);

  const broken = files.filter(({ failures }) => failures.length > 0);
  if (broken.length > 0) {
    console.log(`\nFailed (seed ${seed}):`);
    for (const { file, failures } of broken)
      for (const { title } of failures) console.log(`  ${file}: ${title}`);
  }
  const mayNotSkip = Boolean(process.env.SKILLED_NO_SKIP) && skipped.length > 0;
  if (skipped.length > 0) {
    console.log(mayNotSkip ? '\nSKILLED_NO_SKIP is set, so these skipped tests are failures:' : '\nSkipped:');
    console.log(skipped.join('\n'));
  }
  console.log(`\n${sum('passed')} passed, ${sum('failed')} failed, ${skipped.length} skipped`);
  return broken.length > 0 || sum('failed') > 0 || mayNotSkip ? 1 : 0;
}
