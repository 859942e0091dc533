import { accessSync, constants, lstatSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { AgentError, isAgentError } from '../core/error.ts';
import { digestFolder } from '../files/digest.ts';
import { fileFault, systemCode } from '../files/file-fault.ts';
import { copyFolder } from './copy-folder.ts';
import { notWritable, type GenerationPlace } from './generation-place.ts';
import { discard } from './swap.ts';

const tries = 3;

/** Copies a bundle to `copy` in a new folder of its place, and gives its digest, which was the same before and after. */
export function copyBundle(place: GenerationPlace, staging: string): string {
  checkWritable(place);
  for (let count = 0; count < tries; count++) {
    try {
      mkdirSync(staging);
      copyFolder(place.bundle, join(staging, 'copy'));
      const origin = digestFolder(join(staging, 'copy'));
      if (digestFolder(place.bundle) === origin) return origin;
      discard(staging);
    } catch (thrown) {
      discard(staging);
      if (systemCode(thrown) !== 'ENOENT') throw copyFault(place, thrown); // else something went away meanwhile
    }
  }
  throw bundleChanged(place);
}

/** The refusal to go on with a bundle that is not what it was. */
export function bundleChanged({ bundle }: GenerationPlace): AgentError {
  return new AgentError('skill.changed', `The files of ${bundle} changed while its code was generated.`, {
    hint: 'Try again once nobody works on them.',
  });
}

/** Throws for all that would keep new code from its place, before anybody pays for it. */
function checkWritable({ bundle, folder }: GenerationPlace): void {
  const src = join(bundle, 'src');
  const stats = lstatSync(src, { throwIfNoEntry: false });
  if (stats !== undefined && !stats.isDirectory()) {
    throw new AgentError('skill.invalid', `${src} is no folder.`, { hint: 'Put a folder in its place.' });
  }
  for (const path of stats === undefined ? [bundle] : [bundle, src]) {
    try {
      accessSync(path, constants.W_OK);
    } catch (thrown) {
      throw notWritable(bundle, path, thrown);
    }
  }
  const device = lstatSync(folder).dev;
  if (lstatSync(bundle).dev === device && (stats?.dev ?? device) === device) return;
  const message = `The code of ${bundle} cannot be generated: it lies on another file system than the folder around it.`;
  const hint = 'Mount the folder around it, or copy the skill to a folder of your own.';
  throw new AgentError('skill.failed', message, { hint });
}

function copyFault({ bundle }: GenerationPlace, thrown: unknown): AgentError {
  if (isAgentError(thrown)) return thrown;
  const { path = bundle } = thrown as { readonly path?: string | Buffer };
  return fileFault(thrown, path.toString());
}
