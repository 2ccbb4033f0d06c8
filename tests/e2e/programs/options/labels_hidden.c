/* What XFERSPY_REDACT matches is in no label: in the first run a value, a key and the name of a variable, in the second
 * run the name of the option. Labels that are not valid are ignored, and one line says why.
 *
 * link: cuda
 * run: export XFERSPY_REDACT='sekret|job_name'; XFERSPY_OUTPUT=$dir/values.db "$program"; XFERSPY_REDACT='^xferspy_labels$' XFERSPY_OUTPUT=$dir/option.db "$program"; XFERSPY_LABELS=team XFERSPY_OUTPUT=$dir/wrong.db "$program"
 * env: XFERSPY_LABELS=a=my-sekret,sekret_key=1,team=vision SLURM_JOB_ID=77 SLURM_JOB_NAME=train USER=sekret
 * stdout: data ok
 * stdout: data ok
 * stdout: data ok
 * traces: 3
 * notices: 4
 *
 * $ grep -c 'XFERSPY_LABELS is ignored: a label is KEY=VALUE' $stderr
 * 1
 * $ grep -ac sekret $dir/values.db
 * 0
 *
 * trace: values.db
 * > SELECT key, value FROM meta WHERE (key LIKE 'label%' AND key NOT LIKE 'label.git%') OR key = 'option.labels' ORDER BY key
 * label.a|[hidden]
 * label.slurm_job_id|77
 * label.slurm_job_name|[hidden]
 * label.team|vision
 * label.user|[hidden]
 * labels.given|a,team
 * option.labels|[hidden]
 *
 * trace: option.db
 * > SELECT key, value FROM meta WHERE key IN ('label.a', 'label.team', 'label.slurm_job_name', 'option.labels') ORDER BY key
 * label.a|[hidden]
 * label.slurm_job_name|train
 * label.team|[hidden]
 * option.labels|[hidden]
 *
 * trace: wrong.db
 * > SELECT key, value FROM meta WHERE key IN ('labels.given', 'label.team', 'option.labels')
 * option.labels|
 */
#include "../one_copy.h"
