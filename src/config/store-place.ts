import { dirname, resolve } from 'node:path';
import { toErrorData, type ErrorData } from '../core/error.ts';
import { optional } from '../core/collections.ts';
import { findForeign, storeInstead, type ForeignStore } from './found-store.ts';
import { isAddress, mustLieInFolder, namedPlace, projectPlace } from './kept-place.ts';
import { readSettings } from './settings.ts';
import { settingsSources, type SourceOptions } from './settings-sources.ts';

/** Where the command line keeps runs. */
export interface StorePlace {
  /** The path of a file, or an address; an address may hold a password. */
  readonly where: string;
  readonly isAddress: boolean;
  /** The project's own folder, in which the file lies; absent when a variable or a setting names another place. */
  readonly folder?: string;
  /** A store of somebody else in the workspace, instead of which this one is used until it is adopted. */
  readonly foreign?: ForeignStore;
  /** Days after which runs that ended are forgotten; absent when nobody says so. */
  readonly retentionDays?: number;
}

/** What `SKILLED_STORE` or the settings say, else the database of the nearest project upwards, else of this folder, which must be the user's own; throws where nothing can be kept. */
export function storePlace(cwd: string, options: SourceOptions = {}): StorePlace {
  const sources = settingsSources(cwd, options);
  const { retentionDays: days } = readSettings(sources).settings.all ?? {};
  const retention = optional('retentionDays', typeof days === 'number' ? days : undefined);
  const named = namedPlace(sources, 'store');
  if (named === undefined) {
    const where = projectPlace(cwd, sources, 'store');
    const environment = sources.environment ?? {};
    const foreign = findForeign(where, environment);
    if (foreign !== undefined)
      return { where: storeInstead(foreign, environment), isAddress: false, foreign, ...retention };
    return { where, isAddress: false, folder: dirname(where), ...retention };
  }
  if (isAddress(named, 'store')) return { where: named, isAddress: true, ...retention };
  return { where: mustLieInFolder(resolve(cwd, named), 'store'), isAddress: false, ...retention };
}

/** Where runs are kept, in words that are safe to print, and what is wrong with that store or with another one there. */
export interface StoreReport {
  readonly place: string;
  readonly foreign?: ForeignStore;
  readonly fault?: ErrorData;
}

/** Looks at the store of the command line without opening it; never throws. */
export function reportStore(cwd: string, options: SourceOptions = {}): StoreReport {
  try {
    const place = storePlace(cwd, options);
    return { place: storeName(place), ...optional('foreign', place.foreign) };
  } catch (thrown) {
    return { place: 'an unknown path', fault: toErrorData(thrown) };
  }
}

/** A store in words: without the user and the password of an address. */
export function storeName({ where, isAddress }: Pick<StorePlace, 'where' | 'isAddress'>): string {
  if (!isAddress) return where;
  const url = URL.parse(where);
  return url === null ? 'PostgreSQL' : `${url.protocol}//${url.host}${url.pathname}`;
}
