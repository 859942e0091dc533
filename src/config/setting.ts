import type { Json } from '../core/json.ts';
import type { Shape } from './settings-shape.ts';

/** Everything that is known of one setting; checks, schema, documentation and explanations all come from it. */
export interface Setting {
  /** Names of members, joined by dots. */
  readonly key: string;
  readonly shape: Shape;
  /** One sentence. */
  readonly description: string;
  readonly default?: Json;
  /** What happens without it, in words, where that is no value. */
  readonly byDefault?: string;
  /** The environment variable that sets it. */
  readonly variable?: string;
  /** The flag that sets it, where a command has it. */
  readonly flag?: string;
  /** Set for lists that are joined over all layers; any other value is replaced by the higher layer. */
  readonly adds?: true;
  /** Set for maps whose entries are never mixed: each is that of one layer, and those of the user go before those of a project. */
  readonly wholeEntries?: true;
  /** What files of a project may say, when that is not everything; whoever made the project may be a stranger. */
  readonly inProject?: ProjectRule;
}

/** What of a setting counts although it comes with a project. */
export interface ProjectRule {
  /** `own` is what would hold without the project; absent where nothing would. */
  mayBe(value: Json, own?: Json): boolean;
  /** One sentence. */
  readonly reason: string;
}
