#!/bin/sh
# Applies the patches to the programs that are there (README.md says where they come from), and builds those in CUDA.
# cudaThreadSynchronize was removed in CUDA 13; its successor does the same.
#
#   build.sh        NVCC names the compiler, default nvcc
#
# Exit status: 0 when every program is there and built.
set -e
cd "$(dirname "$0")"
compile() {
    "${NVCC:-nvcc}" -O2 -g -lineinfo -cudart shared -arch=sm_90 -w -I. \
        -DcudaThreadSynchronize=cudaDeviceSynchronize "$@"
}
missing=0
# prepare FOLDER ORIGINAL REPAIRED: false where the program is not there
prepare() {
    if [ ! -e "$1/$2" ]; then
        echo "not there: $1/$2 ($1/origin.txt says from where to get it)" >&2
        missing=1
        return 1
    fi
    [ -e "$1/$3" ] && return 0
    if [ -e "$1/build.patch" ]; then
        patch -s -N -f -d "$1" -i build.patch || exit 1
    fi
    patch -s -f -d "$1" -o "$3.new" "$2" repair.patch || exit 1
    mv "$1/$3.new" "$1/$3"
}
if prepare rodinia/srad_v2 srad.cu srad_repaired.cu; then
    (cd rodinia/srad_v2 && compile -DOUTPUT srad.cu -o srad && compile -DOUTPUT srad_repaired.cu -o srad-repaired)
fi
if prepare rodinia/streamcluster streamcluster_cuda.cu streamcluster_cuda_repaired.cu; then
    (cd rodinia/streamcluster && compile streamcluster_cuda_cpu.cpp streamcluster_cuda.cu -o sc_gpu &&
        compile streamcluster_cuda_cpu.cpp streamcluster_cuda_repaired.cu -o sc_gpu-repaired)
fi
if prepare hecbench/laplace main.cu main_repaired.cu; then
    (cd hecbench/laplace && compile main.cu -o main && compile main_repaired.cu -o main-repaired)
fi
if prepare hecbench/gd main.cu main_repaired.cu; then
    (cd hecbench/gd && compile main.cu utils.cpp -o main && compile main_repaired.cu utils.cpp -o main-repaired)
fi
prepare npbench/azimint_naive azimint_naive_cupy.py azimint_naive_cupy_repaired.py || true
prepare pytorch/time_sequence_prediction train.py train_repaired.py || true
prepare pytorch/word_language_model main.py main_repaired.py || true
[ "$missing" -eq 0 ]
