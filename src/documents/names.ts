/** Names in other cases. */

/** `storeToken` becomes `StoreToken`. */
export function capitalised(name: string): string {
  return name.charAt(0).toUpperCase() + name.slice(1);
}

/** `BalancePlatform` becomes `balance-platform`. */
export function kebabCase(name: string): string {
  return name.replace(/(?<!^)[A-Z]/g, '-$&').toLowerCase();
}
