/** The mark of the program: three bars under a beam. */

export function Logo() {
  return (
    <svg class="logo" viewBox="0 0 32 32" width="24" height="24" aria-hidden="true">
      <path d="M3 4h26v4H3zM5 11h6v17H5zm8 0h6v17h-6zm8 0h6v17h-6z" fill="currentColor" />
    </svg>
  );
}
