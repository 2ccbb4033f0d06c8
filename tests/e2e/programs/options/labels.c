/* A trace has the labels that XFERSPY_LABELS gives, and by itself those of the job, the pod and the git repository. A
 * given one replaces one that the trace has by itself. A variable that Jenkins sets, too, counts only in a pod.
 *
 * link: cuda
 * run: mkdir -p $dir/r/.git $dir/r/in && echo 'ref: refs/heads/main' >$dir/r/.git/HEAD && echo '0123456789abcdef0123456789abcdef01234567 refs/heads/main' >$dir/r/.git/packed-refs && cd $dir/r/in && for host in '' 10.0.0.1; do test -z "$host" || export KUBERNETES_SERVICE_HOST=$host XFERSPY_LABELS=team=vision,slurm_job_name=mine,k8s.io/app=a=b; XFERSPY_OUTPUT=$dir/pod$host.db "$program"; done
 * env: SLURM_JOBID=77 SLURM_JOB_NAME=train SLURM_ARRAY_TASK_ID= PBS_QUEUE=q USER=ann NODE_NAME=node07 POD_NAME=train-0
 * stdout: data ok
 * stdout: data ok
 * traces: 2
 *
 * trace: pod.db
 * > SELECT key, value FROM meta WHERE key LIKE 'label%' ORDER BY key
 * label.git_branch|main
 * label.git_commit|0123456789abcdef0123456789abcdef01234567
 * label.slurm_job_id|77
 * label.slurm_job_name|train
 * label.user|ann
 *
 * trace: pod10.0.0.1.db
 * > SELECT key, value FROM meta WHERE key LIKE 'label%' AND key <> 'label.k8s_namespace' ORDER BY key
 * label.git_branch|main
 * label.git_commit|0123456789abcdef0123456789abcdef01234567
 * label.k8s.io/app|a=b
 * label.k8s_node|node07
 * label.k8s_pod|train-0
 * label.slurm_job_id|77
 * label.slurm_job_name|mine
 * label.team|vision
 * label.user|ann
 * labels.given|team,slurm_job_name,k8s.io/app
 */
#include "../one_copy.h"
