/** The mark of Chancery, as in `brand.svg`, without a request for it. */
export function Brand({ size = 24 }: { readonly size?: number }) {
  return (
    <svg aria-hidden="true" focusable="false" width={size} height={size} viewBox="0 0 32 32">
      <rect width="32" height="32" rx="7" fill="#1c5fa8" />
      <path
        d="M22.5 11.2a8 8 0 1 0 0 9.6"
        fill="none"
        stroke="#fff"
        strokeWidth="3.4"
        strokeLinecap="round"
      />
      <circle cx="22.3" cy="16" r="2.1" fill="#fff" />
    </svg>
  );
}
