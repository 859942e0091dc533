import type { Skill } from '../../core/skill.ts';
import { compactor } from './compact-paths.ts';
import type { CatalogEntry } from './entry.ts';
import { cardOf, offeredSkills, type Offered, type OfferOptions } from './offered.ts';

/** The entries of the skills that a model is offered; with a home folder, paths in it start with `~`. */
export function catalogEntries(
  skills: readonly Skill[],
  options: OfferOptions & { readonly home?: string | undefined } = {},
): readonly CatalogEntry[] {
  const compact = compactor(options.home);
  return offeredSkills(skills, options).map((offered) => new OfferedEntry(offered, compact));
}

/** Made of a skill when someone looks: of ten thousand only a few are shown. */
class OfferedEntry implements CatalogEntry {
  readonly name: string;
  readonly #skill: Skill;
  readonly #compact: (path: string) => string;

  constructor({ name, skill }: Offered, compact: (path: string) => string) {
    this.name = name;
    this.#skill = skill;
    this.#compact = compact;
  }

  get description(): string {
    return cardOf(this.#skill).description;
  }
  get whenToUse(): string | undefined {
    return cardOf(this.#skill).whenToUse;
  }
  get always(): boolean | undefined {
    return cardOf(this.#skill).requires?.always;
  }
  get location(): string {
    const { file } = this.#skill;
    return file === '' ? `skill:${this.name}` : this.#compact(file);
  }
}
