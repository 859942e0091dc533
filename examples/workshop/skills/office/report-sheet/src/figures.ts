export interface Machine {
  readonly tag: string;
  readonly name: string;
  readonly place?: string | null;
  readonly fault?: string | null;
  readonly repair_hours?: number | null;
}

export function figureLine(faulty: readonly Machine[], total: number): string {
  if (total === 0) return 'No equipment is known.';
  const ready = total - faulty.length;
  const share = `${ready} of ${total} machines are ready (${Math.round((100 * ready) / total)} %)`;
  return faulty.length === 0 ? `${share}.` : `${share}, ${openHours(faulty)}.`;
}

function openHours(faulty: readonly Machine[]): string {
  const sum = faulty.reduce((hours, machine) => hours + (machine.repair_hours ?? 0), 0);
  const hours = Math.round(sum * 10) / 10;
  return hours === 1 ? '1 hour of repair is open' : `${hours} hours of repair are open`;
}
