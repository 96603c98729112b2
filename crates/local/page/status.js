// The statuses of a job, as the service names them, and what can be done in each.

export const STATUSES = [
	"IN_QUEUE", "IN_PROGRESS", "COMPLETED", "FAILED", "CANCELLED", "TIMED_OUT", "EXPIRED",
];

export const canCancel = (status) => status === "IN_QUEUE" || status === "IN_PROGRESS";
export const canRetry = (status) => status === "FAILED" || status === "TIMED_OUT";
