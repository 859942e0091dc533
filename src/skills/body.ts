import { bundleOfBytes } from '../core/descriptor/bundle.ts';
import { openDescriptor } from './draft.ts';
import type { SkillLimits } from './limits.ts';
import type { SkillRecord } from './record.ts';

/** The text of a skill after its head, as its file says it now; empty when there is none that can be read. */
export function bodyOf({ dir, file, loose }: SkillRecord, limits: SkillLimits): string {
  if (file === '') return '';
  try {
    return bundleOfBytes(openDescriptor(file, limits).bytes, { dir, file, stem: '', loose }, limits).body;
  } catch {
    return ''; // gone or changed since it was found: the next look at the disk tells
  }
}
