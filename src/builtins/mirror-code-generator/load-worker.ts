import { writeSync } from 'node:fs';
import { text } from 'node:stream/consumers';
import { pathToFileURL } from 'node:url';

interface Order {
  readonly module: string;
  readonly names: readonly string[];
  /** A marker that separates the report from the output of the loaded module. */
  readonly mark: string;
}

// Loads a module and reports the names that it does not export as functions, or why it cannot be loaded.
const { module, names, mark } = JSON.parse(await text(process.stdin)) as Order;
report(await load());

async function load(): Promise<object> {
  try {
    const loaded = (await import(pathToFileURL(module).href)) as Readonly<Record<string, unknown>>;
    return { missing: names.filter((name) => typeof loaded[name] !== 'function') };
  } catch (thrown) {
    return { thrown: thrown instanceof Error ? (thrown.stack ?? thrown.message) : String(thrown) };
  }
}

/** Writes the report and exits, which also stops anything that the module left running. */
function report(found: object): never {
  writeSync(1, `\n${mark}${JSON.stringify(found)}`);
  process.exit(0);
}
