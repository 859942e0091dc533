// The texts of tskill.md that need date arithmetic or the previous version of a booking.

interface Change {
  /** The booking before the change, or null for a new booking. For a field, its value. */
  readonly value: unknown;
  /** The booking after the change. */
  readonly record: Booking;
}

interface Booking {
  readonly flight: string;
  readonly cabin: string;
  readonly travellers: number;
  readonly bags: number;
  readonly insurance: boolean;
  readonly status: string;
  readonly booked_at: string | null;
}

const day = 24 * 60 * 60 * 1000;

/** The end of the 24 hours in which a booking can be cancelled for any reason. */
export function derive_free_until(changes: readonly Change[]): (string | null)[] {
  return changes.map(({ record: { booked_at } }) =>
    booked_at === null ? null : new Date(Date.parse(booked_at) + day).toISOString(),
  );
}

/** The limits of basic economy. */
export function rule_1(changes: readonly Change[]): (string | null)[] {
  return checkChanges(changes, (before, after) => {
    const isSame = before.flight === after.flight && before.cabin === after.cabin;
    return isSame || before.cabin !== 'basic economy'
      ? null
      : 'A basic economy booking keeps its flight and its cabin.';
  });
}

/** The travellers, bags and insurance of an existing booking. */
export function rule_2(changes: readonly Change[]): (string | null)[] {
  return checkChanges(changes, (before, after) => {
    if (before.travellers !== after.travellers) return 'The number of travellers cannot change.';
    if (after.bags < before.bags) return 'Bags can be added, but not removed.';
    return after.insurance && !before.insurance ? 'Insurance cannot be added to a booking.' : null;
  });
}

/** The end of a booking. */
export function rule_3(changes: readonly Change[]): (string | null)[] {
  return checkChanges(changes, (before) =>
    before.status === 'confirmed' ? null : `A ${before.status} booking cannot change.`,
  );
}

function checkChanges(
  changes: readonly Change[],
  check: (before: Booking, after: Booking) => string | null,
): (string | null)[] {
  return changes.map(({ value, record }) => (value === null ? null : check(value as Booking, record)));
}
