import type { JsonObject } from '../core/json.ts';
import type { FileLayer } from './settings-files.ts';

/** Where a value comes from, highest precedence first. */
export const layerNames = ['flag', 'environment', 'local', 'project', 'user', 'default'] as const;

/** One source of settings; several may have one name, as each variable is one of its own. */
export interface SettingsLayer {
  readonly name: FileLayer | 'flag' | 'environment' | 'default';
  /** The file, the variable or the flag; empty for defaults. */
  readonly from: string;
  readonly values: JsonObject;
}
